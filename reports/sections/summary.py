"""A study as a plain dict: what every page is rendered from."""

import math
import platform
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from maxmargin.data.dataset import Dataset
from maxmargin.reports.sections import perceptron_section, variations
from maxmargin.reports.sections.plain import chosen, plain, row_fields
from maxmargin.reports.sections.separability_section import separability_fields
from maxmargin.reports.sections.shared_sections import limitations
from maxmargin.reports.study.measures import norm, unit
from maxmargin.reports.study.report_settings import Settings
from maxmargin.reports.study.soft_grid import SoftPoint
from maxmargin.reports.study.study import Study
from maxmargin.solvers.answers.fields import NO_NAMES
from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.radius import radius_squared

SCHEMA = "maxmargin.report/1"

_OF_HARD_MARGIN = (
    "status", "advice", "margin", "lower", "upper", "gap", "w", "b", "support", "primal_residual", "dual_residual",
    "engine", "attempts",
)  # fmt: skip

_PACKAGES = ("numpy", "scipy", "cvxpy", "daqp", "highspy", "clarabel", "osqp", "numba", "python-flint", "matplotlib")


def summarize(study: Study) -> dict[str, Any]:
    """Return the report of a two-class study as dicts, lists, texts and finite numbers."""
    report: dict[str, Any] = plain(
        {
            "schema": SCHEMA,
            "kind": "two-class",
            "verdict": study.separability.verdict,
            "strictly_separable": study.separability.strictly_separable,
            "data": _data(study),
            "separability": separability_fields(study.dataset, study.separability, study.problem, study.settings.sizes),
            "hard_margin": _hard_margin(study.hard),
            **perceptron_section.fields(study),
            "orders": variations.order_fields(study.orders, study.why_orders),
            "translations": variations.translation_fields(study.translated),
            "translations_reason": study.translated.reason or None,
            "shifts_reason": study.translated.no_shifts or None,
            "soft_margin": [_soft(point) for point in study.soft],
            "support_rows": _support_rows(study),
            "settings": settings_fields(study.settings),
            "versions": versions(),
        }
    )
    report["unknown"] = limitations(report)
    return report


def versions() -> dict[str, str]:
    """Return what the numbers were computed with."""
    from maxmargin.text.version import __version__

    found = {"maxmargin": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def settings_fields(settings: Settings) -> dict[str, Any]:
    """Return the options of `margin_report` by name."""
    names = (name for name in Settings.__dataclass_fields__ if name not in ("sizes", "solvers"))
    return {name: getattr(settings, name) for name in names}


def describe(dataset: Dataset) -> dict[str, Any]:
    """Return what is said of any data set."""
    return {
        "source": dataset.source,
        "label_name": dataset.label_name,
        "n_samples": dataset.n_samples,
        "n_features": dataset.n_features,
        "feature_names": list(dataset.feature_names),
        "sparse": hasattr(dataset.X, "tocsr"),
        **({} if dataset.is_in_memory else {"in_memory": False}),
        "notes": list(dataset.notes),
    }


def _data(study: Study) -> dict[str, Any]:
    dataset, problem = study.dataset, study.problem
    labels = ((dataset.positive, 1), (dataset.negative, -1))
    as_read = Problem(dataset.X, problem.y, problem.bias)
    return {
        **describe(dataset),
        "classes": [{"label": label, "sign": sign, "count": int((problem.y == sign).sum())} for label, sign in labels],
        "positive": dataset.positive,
        "positive_reason": dataset.positive_reason,
        "bias": problem.bias,
        "prepare": study.settings.prepare,
        "radius": sqrt_up(radius_squared(problem)),
        "sha256": as_read.sha256,
        "prepared_sha256": None if study.settings.prepare == "raw" else problem.sha256,
    }


def _hard_margin(hard: HardMargin) -> dict[str, Any]:
    """Return the maximum margin with its interval."""
    width = None
    if hard.upper > 0 and math.isfinite(hard.upper):
        width = float((Fraction(hard.upper) - Fraction(hard.lower)) / Fraction(hard.upper))
    return {
        **chosen(hard.fields(NO_NAMES), _OF_HARD_MARGIN),
        "relative_width": width,
        "unit_w": None if hard.w is None else unit(hard.w),
        "n_support": len(hard.support),
    }


def _soft(point: SoftPoint) -> dict[str, Any]:
    C, plane = point.solution.C, point.plane
    return {
        **chosen(point.solution.fields(NO_NAMES), ("C", "status", "objective", "lower", "gap", "b", "engine")),
        "c": 2 * C,
        "lambda": 1 / (2 * C),
        "margin_width": math.inf if plane is None else 1 / norm(plane.w),
        "n_errors": point.n_errors,
        "n_slack": point.n_slack,
        "n_support": point.n_support,
        "w": point.w,
    }


def _support_rows(study: Study) -> list[dict[str, Any]]:
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
