"""Arrays in, proven answers out. Nothing here knows of files, names or reports."""

if __name__ != "maxmargin.solvers":
    raise ImportError("This package is imported as maxmargin.solvers.")
