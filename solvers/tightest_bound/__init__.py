"""The least mistake bound of its kind over all hyperplanes, as a proven interval."""

from maxmargin.solvers.tightest_bound.tightest_bound import tightest_bound as tightest_bound
