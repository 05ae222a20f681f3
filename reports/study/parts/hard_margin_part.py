"""The maximum margin, as the textbook program finds it, and its support rows."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.api.measures import norm
from maxmargin.reports.study.summary_fields import chosen, row_fields
from maxmargin.reports.study.two_class_study import Part, TwoClassStudy, Workspace
from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.proof.margins import unit

_OF_HARD_MARGIN = (
    "status", "advice", "margin", "lower", "upper", "gap", "angle_lower", "angle_upper", "w", "b", "support",
    "primal_residual", "dual_residual", "engine", "attempts",
)  # fmt: skip


def _compute(study: TwoClassStudy, workspace: Workspace) -> None:
    answer, time_limit = study.separability, workspace.limits.share()
    study.hard = uninterrupted(hard_margin(study.problem, method="textbook", verdict=answer, time_limit=time_limit))


def _fields(study: TwoClassStudy) -> dict[str, Any]:
    """Return the maximum margin with its interval, and its support rows."""
    hard, width = study.hard, None
    if hard.upper > 0 and math.isfinite(hard.upper):
        width = float((Fraction(hard.upper) - Fraction(hard.lower)) / Fraction(hard.upper))
    found = {
        **chosen(hard.fields(), _OF_HARD_MARGIN),
        "relative_width": width,
        "unit_w": None if hard.w is None else unit(hard.w),
        "n_support": len(hard.support),
    }
    return {"hard_margin": found, "support_rows": _support_rows(study)}


def _support_rows(study: TwoClassStudy) -> list[dict[str, Any]]:
    plane = study.maximum
    if plane is None:
        return []
    support = study.hard.support
    with np.errstate(over="ignore"):
        functional = plane.distances(study.problem, support) * norm(plane.w)
    return [
        {
            **row_fields(study.dataset, int(row)),
            "sign": int(study.problem.y[row]),
            "multiplier": study.hard.dual[row],
            "functional_margin": value,
        }
        for row, value in zip(support, functional, strict=True)
    ]


HARD_MARGIN = Part(name="hard_margin", n_shares=3, compute=_compute, fields=_fields)
