"""The Boolean world: concepts over the cube, and the theory of learning them.

>>> from maxmargin.boolean import Formula
>>> Formula.parse("(x1 | x4) & ~x3").n_variables
4
"""

from maxmargin.teaching.counts import (
    count_dichotomies,
    count_threshold_functions,
    cover_count,
    cover_probability,
    is_in_general_position,
    threshold_functions,
)
from maxmargin.teaching.cube import cube
from maxmargin.teaching.exact_winnow import WinnowRun, as_disjunction, winnow, winnow_bound
from maxmargin.teaching.formula import Formula
from maxmargin.teaching.growth import GrowthRun, MistakeGrowth, mistake_growth
from maxmargin.teaching.halving import HalvingRun, HalvingWorstCase, halving, worst_case_halving
from maxmargin.teaching.literals import (
    Connective,
    LiteralConcept,
    balanced_rows,
    conjunction,
    conjunction_bound,
    disjunction,
    random_concept,
)

__all__ = [
    "Connective",
    "Formula",
    "GrowthRun",
    "HalvingRun",
    "HalvingWorstCase",
    "LiteralConcept",
    "MistakeGrowth",
    "WinnowRun",
    "as_disjunction",
    "balanced_rows",
    "conjunction",
    "conjunction_bound",
    "count_dichotomies",
    "count_threshold_functions",
    "cover_count",
    "cover_probability",
    "cube",
    "disjunction",
    "halving",
    "is_in_general_position",
    "mistake_growth",
    "random_concept",
    "threshold_functions",
    "winnow",
    "winnow_bound",
    "worst_case_halving",
]
