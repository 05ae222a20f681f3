"""Compiled passes of the perceptron over rows."""
