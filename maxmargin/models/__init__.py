"""Models that other packages have fitted: the question that each of them poses, and what is proven about it."""
