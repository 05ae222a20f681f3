"""The cone of all hyperplanes that have no row on the wrong side, decided exactly.

The rows are vectors z_i, the inequalities z_i.v >= 0. Which of them can be strict, and which always touch, is one
question for two classes, through the origin or not, and for more classes at once.
"""
