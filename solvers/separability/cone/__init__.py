"""The cone of directions that leave no row on the wrong side, decided exactly."""
