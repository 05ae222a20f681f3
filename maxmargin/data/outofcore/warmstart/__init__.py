"""The findings of an earlier process, saved in a file and never trusted."""
