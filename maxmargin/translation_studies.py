"""Mistakes of the perceptron after translation, scaling and preparation of the data: the public names.

>>> from maxmargin.translation_studies import translation_study
"""

from maxmargin.theory.translation_study import preparation_study, scale_study, translation_study

__all__ = ["preparation_study", "scale_study", "translation_study"]
