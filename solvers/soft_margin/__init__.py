"""The soft margin, by C or by nu, as a proven interval."""
