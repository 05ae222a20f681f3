"""Sources of data: each one states its columns, and yields its rows in batches."""
