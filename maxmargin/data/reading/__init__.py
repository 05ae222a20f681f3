"""Reading: the batches of a source, or arrays, become a data set."""
