"""Text on its way out: escaping, files, messages of errors, the version."""
