"""A Dataset from whatever there is."""
