"""The sections of a report: their fields, phrases and blocks."""
