"""Is the data linearly separable? The verdict and its proof."""
