"""Labels of rows: their classes, and which class is positive."""
