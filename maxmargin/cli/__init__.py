"""The command line: it composes the data, the solvers and the reports, and owns the exit codes."""
