"""The soft margins of a report: a grid of C, and the numbers that the report gives of each answer."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin.api.measures import is_flat, n_with_slack
from maxmargin.reports.study.parts.centred_part import about_the_mean
from maxmargin.reports.study.summary_fields import chosen
from maxmargin.reports.study.two_class_study import Part, SoftPoint, TwoClassStudy, Workspace
from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.problem.problem import Problem, radius
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.proof.margins import geometric_margin, least_functional_margin, n_errors, norm_squared
from maxmargin.solvers.soft_margin.soft_margin import rising_soft_margins
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin

# Number of values of C that are tried if the caller names none.
_N_CS = 9

# Largest decimal exponent of C: multipliers of tiny numbers exceed the range of binary64.
_GREATEST_EXPONENT = 300

# Range of distances: others would put C out of the range of binary64.
_DISTANCES = (1e-100, 1e100)


def default_grid(problem: Problem, hard: HardMargin) -> tuple[float, ...]:
    """Return powers of ten from the 1/distance^2 of the data to where the soft margin is the hard one.

    A soft margin is the hard one as soon as C reaches the greatest multiplier of the hard one. Without a hard margin
    the grid spans eight powers of ten.
    """
    lowest = math.floor(-2 * math.log10(_farthest(problem)))
    greatest = float(hard.dual.max(initial=0.0)) if hard.w is not None else 0.0
    highest = math.ceil(math.log10(greatest)) if greatest > 0 else lowest + _N_CS - 1
    step = max(1, math.ceil((highest - lowest) / (_N_CS - 1)))
    exponents = {min(lowest + k * step, _GREATEST_EXPONENT) for k in range(_N_CS)}
    return tuple(float(f"1e{exponent}") for exponent in sorted(exponents))


def _farthest(problem: Problem) -> float:
    """Return the greatest distance of a row from the mean; through the origin, and for sparse rows, from the origin."""
    is_kept = problem.is_sparse or not problem.bias
    return float(np.clip(radius(problem if is_kept else about_the_mean(problem)) or 1.0, *_DISTANCES))


def soft_points(
    problem: Problem, Cs: Iterable[float], time_limit: float | None = None, textbook_numbers: int | None = None
) -> tuple[SoftPoint, ...]:
    """Return the soft margins in the order of Cs; when the time is over, only for the smallest C, and at least one.

    cvxpy solves the textbook programs, for some C evenly spaced in the grid if all of them together had more than
    `textbook_numbers` entries; the other C are left to the engines of this package.

    Raises
    ------
    KeyboardInterrupt
        If one of them was interrupted: half a report would look like a whole one.
    """
    grid, limits, points = tuple(Cs), Limits(time_limit=time_limit), dict[float, SoftPoint]()
    rising = sorted(set(grid))
    asked = _asked_of_cvxpy(problem, rising, textbook_numbers)
    ways = {"textbook": asked, "auto": [C for C in rising if C not in asked]}
    answers = {way: rising_soft_margins(problem, Cs, method=way, time_limit=time_limit) for way, Cs in ways.items()}
    for C in rising:
        points[C] = _point(problem, next(answers["textbook" if C in asked else "auto"]))
        if limits.is_over():
            break
    return tuple(points[C] for C in grid if C in points)


def _asked_of_cvxpy(problem: Problem, rising: list[float], most_numbers: int | None) -> list[float]:
    """Return the C, at least one, whose textbook programs have up to `most_numbers` entries in total."""
    if most_numbers is None:
        return rising
    n_asked = min(len(rising), max(1, most_numbers // (problem.n_samples * problem.n_features)))
    positions = (2 * np.arange(n_asked) + 1) * len(rising) // (2 * n_asked)
    return [rising[position] for position in positions.tolist()]


def _point(problem: Problem, solution: SoftMargin) -> SoftPoint:
    uninterrupted(solution)
    w = np.zeros_like(solution.w) if is_flat(problem, solution) else solution.w
    return SoftPoint(
        solution=solution if isinstance(problem.row_source, InMemory) else _without_rows(solution),
        w=w,
        n_errors=n_errors(problem, w, solution.b),
        n_slack=n_with_slack(solution),
        n_support=len(solution.support),
        slack_norm=float(np.linalg.norm(solution.slack)),
        achieved_margin=_achieved(problem, w, solution.b),
    )


def _achieved(problem: Problem, w: Floats, b: float) -> float | None:
    if not w.any():
        return None
    return geometric_margin(least_functional_margin(problem, w, b), norm_squared(w))


def _without_rows(solution: SoftMargin) -> SoftMargin:
    """Drop the vectors with an entry for every row: a grid of such solutions may take more memory than there is."""
    no_rows = np.empty(0, dtype=np.int64)
    return replace(solution, slack=np.empty(0), dual=np.empty(0), support=no_rows, error_rows=no_rows)


def _compute(study: TwoClassStudy, workspace: Workspace) -> None:
    settings = study.settings
    Cs = settings.Cs or default_grid(study.problem, study.hard)
    study.soft = soft_points(study.problem, Cs, workspace.limits.share(), settings.sizes.textbook_numbers)


def _fields(study: TwoClassStudy) -> dict[str, Any]:
    return {"soft_margin": [_point_fields(point) for point in study.soft]}


def _point_fields(point: SoftPoint) -> dict[str, Any]:
    C, plane = point.solution.C, point.plane
    return {
        **chosen(
            point.solution.fields(),
            ("C", "status", "objective", "lower", "gap", "b", "engine", "slack_count_lower", "slack_count_upper"),
        ),
        "c": 2 * C,
        "lambda": 1 / (2 * C),
        "margin_width": math.inf if plane is None else point.solution.margin,
        **{name: getattr(point, name) for name in ("n_errors", "n_slack", "n_support", "achieved_margin", "w")},
    }


SOFT_MARGIN = Part(name="soft_margin", n_shares=3, compute=_compute, fields=_fields)
