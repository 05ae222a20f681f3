"""Descent along single multipliers, compiled, for data with many columns."""

NAME = "dual-coordinate"
"""What answers call this engine."""
