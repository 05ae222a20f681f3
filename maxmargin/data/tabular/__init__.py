"""Data frames, column names and formulas, and the answers about them as data frames."""
