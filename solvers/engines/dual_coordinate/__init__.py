"""Descent along single multipliers, compiled, for data with many columns."""

# Name of this engine in answers.
NAME = "dual-coordinate"
