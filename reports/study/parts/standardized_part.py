"""The maximum margin of standardized columns, where the columns have very different units."""

from typing import Any

import numpy as np

from maxmargin.data.preparing import How, prepare
from maxmargin.reports.study.two_class_study import Part, TwoClassStudy, Workspace, prepared
from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.hard_margin.hard_margin import hard_margin

# Least ratio of the standard deviations of two columns from which their units are very different.
VERY_DIFFERENT = 100.0


def _compute(study: TwoClassStudy, workspace: Workspace) -> None:
    study.standardized = None
    is_asked = study.dataset.is_in_memory and study.settings.prepare == How.RAW and study.problem.bias
    if not (is_asked and study.separability.strictly_separable) or workspace.limits.is_over():
        return
    try:
        scale = prepare(study.problem.X, How.STANDARDIZE).scale
        if scale is None or not scale.max() / VERY_DIFFERENT >= scale.min():
            return
        problem = prepared(study.problem, How.STANDARDIZE)
    except InvalidProblemError:  # a range beyond binary64, or sparse rows that are too many
        return
    hard = uninterrupted(hard_margin(problem, time_limit=workspace.limits.share()))
    study.standardized = {
        "least_deviation": float(scale.min()),
        "largest_deviation": float(scale.max()),
        "lower": hard.lower,
        "upper": hard.upper if np.isfinite(hard.upper) else None,
    }


def _fields(study: TwoClassStudy) -> dict[str, Any]:
    return {"standardized": study.standardized}


STANDARDIZED = Part(name="standardized", n_shares=2, compute=_compute, fields=_fields)
