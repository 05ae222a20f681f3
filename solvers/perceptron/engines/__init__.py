"""Ways to compute the same mistakes: weights, Gram matrix, blocks, integers."""
