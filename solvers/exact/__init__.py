"""Arithmetic without rounding on integers and rationals; it knows NumPy and nothing above it."""
