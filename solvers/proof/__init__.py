"""Exact arithmetic: from floating-point candidates to statements that hold without a tolerance."""
