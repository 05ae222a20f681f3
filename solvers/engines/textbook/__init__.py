"""The programs of the textbooks through cvxpy, for small problems and as a reference."""
