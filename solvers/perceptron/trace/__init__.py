"""What a run was like at chosen mistakes."""
