"""Arrays in, proven answers out. Nothing here knows of files, names or reports.

In reading order, which is the order of the floors: a package imports those above it in this list only.

- `errors`, `basics`: errors of wrong input; limits of work, threads, compilation.
- `exact`: integers and rationals, without rounding.
- `problem`: the question: rows with signs, wherever the rows live.
- `proof`: what makes a hint an answer; `proof.checker` is the one file that strangers read.
- `answers`: what the solvers return.
- `engines`: ways of computing, whose results are hints.
- `separability`: is there a separating hyperplane?
- `hard_margin`, `soft_margin`, `fewest_errors`, `tightest_bound`: one question each.
- `perceptron`, `online`: Rosenblatt's algorithm and the other online algorithms.
"""

if __name__ != "maxmargin.solvers":
    raise ImportError("This package is imported as maxmargin.solvers.")
