"""The maximum margin, as a proven interval."""
