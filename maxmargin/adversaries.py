"""Adversaries that construct their rows so that every round is a mistake: the public names.

>>> from maxmargin.adversaries import bisecting_threshold
>>> bisecting_threshold(n_rounds=3).n_mistakes
3
"""

from maxmargin.solvers.perceptron.exact import ExactPerceptron
from maxmargin.teaching.lower_bounds import EndlessMistakes, Learner, bisecting_threshold, shrinking_norms

__all__ = ["EndlessMistakes", "ExactPerceptron", "Learner", "bisecting_threshold", "shrinking_norms"]
