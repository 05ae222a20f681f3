"""The hard margin on a working set of rows that grows until no other row violates it."""
