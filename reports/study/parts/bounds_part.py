"""The bounds on the mistakes of the run, for the passes that it made."""

import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from maxmargin.reports.study.two_class_study import Part, SoftPoint, TwoClassStudy, Workspace
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.problem.problem import Problem, radius
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.theory.context import Context
from maxmargin.theory.perceptron_bounds import bounds_of, context_of_run

# Bounds that involve the bias coordinate; through the origin they repeat Novikoff's bound.
_WITH_BIAS_ONLY = ("augmented_b", "best_scale", "best_scale_searched")

# Bounds that are left out unless their assumption holds.
_OF_SPECIAL_DATA = ("unit_norm", "conjunction")


def _compute(study: TwoClassStudy, workspace: Workspace) -> None:
    context = workspace.context = _context_of(study, workspace.limits)
    bounds = (bound for bound in bounds_of(context) if bound.valid or bound.name not in _OF_SPECIAL_DATA)
    study.bounds = tuple(bound for bound in bounds if context.problem.bias or bound.name not in _WITH_BIAS_ONLY)
    study.run_hard = without_multipliers(context.run_hard, study.problem)


def without_multipliers(hard: HardMargin, problem: Problem) -> HardMargin:
    """Return the maximum margin of other rows; for a problem outside memory without multipliers, one for each row."""
    return hard if isinstance(problem.row_source, InMemory) else replace(hard, dual=np.empty(0))


def _context_of(study: TwoClassStudy, limits: Limits) -> Context:
    """Gather the quantities that the bounds of the run need, for the passes that it made."""
    run, scale = study.run, study.scale
    reach = math.hypot(radius(study.run_problem), scale)

    def root_of_bound(point: SoftPoint) -> float:
        """Return about the square root of Freund and Schapire's bound; any u gives a bound, so the least is chosen."""
        u = point.solution
        length = math.hypot(*u.w.tolist(), u.b / scale if scale else 0.0)
        return reach * length + math.sqrt(run.n_epochs) * point.slack_norm

    tightest = min(study.soft, key=root_of_bound)
    hard = study.hard if study.run_problem is study.problem else None
    return context_of_run(study.run_problem, run, known_hard=hard, known_soft=tightest.solution, limits=limits)


def _fields(study: TwoClassStudy) -> dict[str, Any]:
    return {"bounds": [{**asdict(bound), "ratio": bound.ratio(study.run.n_mistakes)} for bound in study.bounds]}


BOUNDS = Part(name="bounds", n_shares=2, compute=_compute, fields=_fields)
