"""The maximum margin of many rows from a few of them, in coordinates around the present hyperplane."""
