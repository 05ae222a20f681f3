"""Descent along single multipliers, compiled, for data with many columns."""
