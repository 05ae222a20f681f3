"""Pure functions of numbers: means, exponents and performance profiles, with their formulas and sources."""
