"""Proof files: written, verified, used again, required."""
