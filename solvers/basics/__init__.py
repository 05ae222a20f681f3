"""The ground floor: limits of work, threads, compilation to machine code."""
