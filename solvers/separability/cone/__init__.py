"""The cone of all hyperplanes that have no row on the wrong side, decided exactly.

The rows are vectors z_i, the inequalities z_i.v >= 0. One algorithm decides which of them can be strict and which
always hold with equality: for two classes, with bias or through the origin, and for more classes at once.
"""
