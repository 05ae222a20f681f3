"""The fewest rows that a hyperplane can have on the wrong side, and the least total slack."""
