"""One file a command: it computes, prints, and returns the exit code."""
