"""Data sets whose verdict, and mostly whose maximum margin, is known exactly from how they are made.

>>> from maxmargin.data.generators import generate
>>> generate("gap:40").truth.verdict
'separable'
"""

from maxmargin.data.generators.known_answers import Truth
from maxmargin.data.generators.registry import Generated, families, generate, is_family, rows_and_labels

__all__ = ["Generated", "Truth", "families", "generate", "is_family", "rows_and_labels"]
