"""Bounds of the perceptron's mistakes, by what they are made of."""
