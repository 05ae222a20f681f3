"""What the solvers return."""
