"""Descent along single multipliers, compiled, for data with many columns."""

NAME = "dual-coordinate"
"""Name of this engine in answers."""
