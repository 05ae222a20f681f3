"""The page templates, read as package data."""
