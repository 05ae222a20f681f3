"""The same question about the rows with every column moved to mean 0, in memory or while they are read."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.preparing import How
from maxmargin.data.stores.outside_memory import Derived
from maxmargin.reports.study.parts.bounds_part import without_multipliers
from maxmargin.reports.study.parts.run_part import affordable, run_fields, run_of
from maxmargin.reports.study.report_settings import OUT_OF_TIME
from maxmargin.reports.study.two_class_study import Centred, Part, TwoClassStudy, Workspace, prepared
from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.problem.rows import InMemory


def _compute(study: TwoClassStudy, workspace: Workspace) -> None:
    study.centred, study.not_centred = None, _why_not_centred(study, workspace)
    if study.not_centred:
        return
    try:
        moved = moved_to_mean_0(study.problem)
    except InvalidProblemError as error:
        study.not_centred = str(error)
        return
    scale = study.run.settings.bias_scale
    run = run_of(moved, affordable(study), scale, workspace.on_progress, workspace.limits.share(2))
    hard = uninterrupted(hard_margin(moved, time_limit=workspace.limits.share()))
    study.centred = Centred(problem=moved, hard=without_multipliers(hard, study.problem), run=run)


def _why_not_centred(study: TwoClassStudy, workspace: Workspace) -> str:
    """Return why the question is not asked of the centred rows, "" if it is."""
    if not study.problem.bias:
        return "through the origin, the maximum margin itself changes with a translation"
    if study.settings.prepare in (How.CENTER, How.STANDARDIZE):
        return "the data are centred already"
    return OUT_OF_TIME if workspace.limits.is_over() else ""


def _fields(study: TwoClassStudy) -> dict[str, Any]:
    centred = study.centred
    if centred is None:
        return {"translation": {"reason": study.not_centred}}
    found = {
        "reason": None,
        "radius": sqrt_up(radius_squared(centred.problem)),
        "lower": centred.hard.lower,
        "upper": centred.hard.upper,
        **run_fields(centred.run),
        "margin": centred.run.margin,
    }
    return {"translation": found}


def moved_to_mean_0(problem: Problem) -> Problem:
    """Return the problem of the rows x - mean.

    Raises
    ------
    InvalidProblemError
        The range of a column is too large for binary64, or sparse rows are too many to be made dense.
    """
    if not isinstance(problem.row_source, InMemory):
        return centred(problem)
    return prepared(problem, How.CENTER)


def column_means(problem: Problem) -> Floats:
    """Return the mean of every column, without overflow on the way; of a constant column its value."""
    low, high = problem.column_bounds
    exponents = np.frexp(problem.column_sizes)[1]
    total = np.sum([*problem.map(partial(_sums, exponents))], axis=0)
    return np.where(low == high, low, np.ldexp(total / problem.n_samples, exponents))


def _sums(exponents: NDArray[Any], rows: slice, X: Floats) -> Floats:
    result: Floats = np.ldexp(X, -exponents).sum(axis=0)
    return result


def centred(problem: Problem) -> Problem:
    """Return the problem of the rows x - mean, which are made while x are read.

    Raises
    ------
    InvalidProblemError
        The range of a column is too large for binary64.
    """
    moved = about_the_mean(problem)
    is_finite = np.isfinite(moved.column_bounds).all(axis=0)
    if not is_finite.all():
        raise InvalidProblemError(
            f"column {int(np.argmin(is_finite))} cannot be centred: its range is too large for binary64"
        )
    return moved


def about_the_mean(problem: Problem) -> Problem:
    """Return the same, where columns of too large a range may overflow: for estimates."""
    means = column_means(problem)
    low, high = problem.column_bounds
    bounds = _moved(means, low), _moved(means, high)
    return replace(problem, X=Derived(problem.row_source, partial(_moved, means), bounds), known_bounds=bounds)


def _moved(means: Floats, X: Floats) -> Floats:
    with np.errstate(over="ignore"):
        result: Floats = X - means
    return result


CENTRED = Part(name="centred", n_shares=2, compute=_compute, fields=_fields)
