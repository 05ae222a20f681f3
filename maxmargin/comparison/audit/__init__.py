"""Every installed solver on the user's own data, against the proven answer."""
