"""Tasks in limited processes, and the file that keeps their records; they work for tasks of any kind."""
