"""The online algorithms next to the perceptron: one loop, and for each a step, a stopping rule and a guarantee."""
