"""Rows on disk or on a cluster, read in parts within a budget of memory."""
