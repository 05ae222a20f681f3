"""What a report computes."""
