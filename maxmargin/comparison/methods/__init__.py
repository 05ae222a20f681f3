"""The methods that a comparison can run."""
