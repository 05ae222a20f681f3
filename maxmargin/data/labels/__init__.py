"""Labels of rows and columns: which class is positive, names of rows."""
