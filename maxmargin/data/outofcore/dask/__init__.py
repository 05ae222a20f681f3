"""Rows of Dask collections and of files on a cluster."""
