"""The soft margin on a working set of the rows near the hyperplane."""
