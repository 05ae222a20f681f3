"""Rows outside memory: where they are stored, and how passes and single rows are read."""
