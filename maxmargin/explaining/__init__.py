"""Verdicts in the words of statistics: why coefficients are infinite, what stays finite, and what can be done."""
