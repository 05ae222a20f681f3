"""The state of a run at chosen mistakes."""
