"""Texts that write numbers, and the numbers that they write, exactly."""
