"""Formats of files and containers, one a file."""
