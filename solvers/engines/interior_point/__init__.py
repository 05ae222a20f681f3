"""A primal-dual interior-point method whose systems have the smaller side of the data."""
