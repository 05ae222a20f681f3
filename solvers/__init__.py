"""Arrays in, proven answers out. Nothing here knows of files, names or reports."""
