"""Ways to compute the same mistakes: weights, Gram matrix, integers."""
