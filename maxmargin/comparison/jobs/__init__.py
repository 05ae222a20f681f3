"""Tasks in limited processes, and the file that keeps their records; nothing here knows what the tasks are about."""
