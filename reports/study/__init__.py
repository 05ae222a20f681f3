"""The computations of a report, and their fields in its summary."""
