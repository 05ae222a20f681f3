"""The Boolean world: concepts over the cube, and the theory of learning them.

>>> from maxmargin.boolean import Formula
>>> Formula.parse("(x1 | x4) & ~x3").n_variables
4
"""

from maxmargin.teaching.counts import count_dichotomies as count_dichotomies
from maxmargin.teaching.counts import count_threshold_functions as count_threshold_functions
from maxmargin.teaching.counts import cover_count as cover_count
from maxmargin.teaching.counts import cover_probability as cover_probability
from maxmargin.teaching.counts import is_in_general_position as is_in_general_position
from maxmargin.teaching.counts import threshold_functions as threshold_functions
from maxmargin.teaching.cube import cube as cube
from maxmargin.teaching.exact_winnow import WinnowRun as WinnowRun
from maxmargin.teaching.exact_winnow import as_disjunction as as_disjunction
from maxmargin.teaching.exact_winnow import winnow as winnow
from maxmargin.teaching.exact_winnow import winnow_bound as winnow_bound
from maxmargin.teaching.formula import Formula as Formula
from maxmargin.teaching.growth import GrowthRun as GrowthRun
from maxmargin.teaching.growth import MistakeGrowth as MistakeGrowth
from maxmargin.teaching.growth import mistake_growth as mistake_growth
from maxmargin.teaching.halving import HalvingRun as HalvingRun
from maxmargin.teaching.halving import HalvingWorstCase as HalvingWorstCase
from maxmargin.teaching.halving import halving as halving
from maxmargin.teaching.halving import worst_case_halving as worst_case_halving
from maxmargin.teaching.literals import Connective as Connective
from maxmargin.teaching.literals import LiteralConcept as LiteralConcept
from maxmargin.teaching.literals import balanced_rows as balanced_rows
from maxmargin.teaching.literals import conjunction as conjunction
from maxmargin.teaching.literals import conjunction_bound as conjunction_bound
from maxmargin.teaching.literals import disjunction as disjunction
from maxmargin.teaching.literals import random_concept as random_concept

__all__ = [name for name in dir() if not name.startswith("_")]  # pyright: ignore[reportUnsupportedDunderAll]
