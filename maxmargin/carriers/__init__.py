"""Matrices that do not live in the memory of this process: on disk, or on a Dask cluster."""
