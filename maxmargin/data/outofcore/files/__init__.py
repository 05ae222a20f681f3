"""Files that are read in parts."""
