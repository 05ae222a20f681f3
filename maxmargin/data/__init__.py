"""Data sets: read, taken from arrays, generated, prepared, and turned into problems."""
