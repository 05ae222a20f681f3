"""Rosenblatt's perceptron: the loop, its compiled kernels, the orders of presentation, an exact trace."""
