"""Sums and products in floating point with proven bounds of their rounding errors."""
