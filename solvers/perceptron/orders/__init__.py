"""Many orders of the rows at once, and orders with many mistakes."""
