"""Readers: one format a file, each giving a :class:`~maxmargin.readers.table.Table`."""
