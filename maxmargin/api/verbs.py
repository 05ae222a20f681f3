"""The questions people ask, under one name; each has its home in the module that it is imported from."""

from maxmargin.api.deciding import decide as decide
from maxmargin.api.deciding import separability as separability
from maxmargin.api.deciding import separability_of as separability_of
from maxmargin.api.deciding import with_names as with_names
from maxmargin.api.error_verbs import fewest_errors as fewest_errors
from maxmargin.api.error_verbs import least_total_slack as least_total_slack
from maxmargin.api.margin_verbs import hard_margin as hard_margin
from maxmargin.api.margin_verbs import nu_margin as nu_margin
from maxmargin.api.margin_verbs import soft_margin as soft_margin
from maxmargin.api.margin_verbs import soft_margin_path as soft_margin_path
from maxmargin.api.question import with_positive as with_positive
from maxmargin.api.running import perceptron as perceptron
from maxmargin.data.problems import class_problem_of as class_problem_of
from maxmargin.data.problems import problem_of as problem_of
