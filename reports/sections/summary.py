"""A study as a plain dict: what every page is rendered from."""

import math
import platform
from dataclasses import asdict
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from maxmargin.data.dataset import Dataset
from maxmargin.reports.sections import order_section, translation_section
from maxmargin.reports.sections.limitations import limitations
from maxmargin.reports.sections.plain import chosen, plain
from maxmargin.reports.sections.separability_section import row_fields, separability_fields
from maxmargin.reports.sections.tracing import trace_fields
from maxmargin.reports.study.measures import angle_degrees, cosine, norm, unit
from maxmargin.reports.study.report_settings import Settings
from maxmargin.reports.study.soft_grid import SoftPoint
from maxmargin.reports.study.study import Centred, Study
from maxmargin.solvers.answers.fields import NO_NAMES
from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.margins import n_errors
from maxmargin.solvers.proof.radius import radius_squared

SCHEMA = "maxmargin.report/1"

_RECENT_EPOCHS = 100
"""The last epochs over which the rate of mistakes is averaged."""

_OF_HARD_MARGIN = (
    "status", "advice", "margin", "lower", "upper", "gap", "w", "b", "support", "primal_residual", "dual_residual",
    "engine", "attempts",
)  # fmt: skip

_OF_RUN = (
    "n_mistakes", "n_epochs", "converged", "stop_reason", "margin", "margin_upper", "run_margin", "run_upper", "zero",
    "bias_scale", "prepare", "order", "seed", "max_epochs", "max_mistakes", "w", "b", "norm", "mistakes_per_epoch",
    "mistake_rows",
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
            "perceptron": _perceptron(study),
            "trace": trace_fields(study),
            "comparison": _comparison(study),
            "bounds": [{**asdict(bound), "ratio": bound.ratio(study.run.n_mistakes)} for bound in study.bounds],
            "translation": {"reason": study.not_centred} if study.centred is None else _translation(study.centred),
            "orders": order_section.fields(study.orders, study.why_orders),
            "translations": translation_section.fields(study.translated),
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


def _perceptron(study: Study) -> dict[str, Any]:
    run, settings = study.run, study.settings
    return {
        **chosen(run.fields(NO_NAMES, prepare=settings.prepare, seed=settings.seed), _OF_RUN),
        "run_norm": run.run_norm,
        "run_maximum_lower": study.run_hard.lower,
        "run_maximum_upper": study.run_hard.upper,
        "n_errors": n_errors(study.problem, run.w, run.b),
        "n_presentations": run.n_presentations,
        "unit_w": None if study.found is None else study.found.unit,
        "bias": study.run_problem.bias,
        **_rates(run),
        "n_mistaken_rows": np.count_nonzero(run.mistake_counts),
    }


def run_fields(run: PerceptronRun) -> dict[str, Any]:
    """Return how a run went, in short."""
    return chosen(run.fields(NO_NAMES), ("n_mistakes", "n_epochs", "converged", "stop_reason"))


def _rates(run: PerceptronRun) -> dict[str, Any]:
    """Return the fewest mistakes of an epoch and the recent mean; epochs cut short by a limit do not count."""
    is_cut = run.stop_reason in (StopReason.MAX_MISTAKES, StopReason.TIME_LIMIT, StopReason.INTERRUPTED)
    whole = run.mistakes_per_epoch[:-1] if is_cut else run.mistakes_per_epoch
    return {
        "n_whole_epochs": len(whole),
        "fewest_mistakes_in_an_epoch": int(whole.min()) if len(whole) else None,
        "n_recent_epochs": min(_RECENT_EPOCHS, len(whole)),
        "recent_mistakes_per_epoch": float(whole[-_RECENT_EPOCHS:].mean()) if len(whole) else None,
    }


def _comparison(study: Study) -> dict[str, Any]:
    """Compare the perceptron's hyperplane with the maximum margin, or with the soft margin of fewest errors."""
    reference, found = study.reference, study.found
    is_known = reference is not None and found is not None
    return {
        "reference": None if reference is None else reference.name,
        "cosine": cosine(reference, found) if reference is not None and found is not None else None,
        "angle_degrees": angle_degrees(reference, found) if reference is not None and found is not None else None,
        "novikoff_ratio": _novikoff_ratio(study),
        "share_of_maximum": study.run.margin / study.hard.upper if is_known and study.hard.lower > 0 else None,
    }


def _novikoff_ratio(study: Study) -> float | None:
    """Return M g^2/R^2 in the space of the run: how much of Novikoff's bound the run used up."""
    holding = (bound for bound in study.bounds if bound.name == "novikoff" and bound.valid)
    return next((bound.ratio(study.run.n_mistakes) for bound in holding), None)


def _translation(centred: Centred) -> dict[str, Any]:
    return {
        "reason": None,
        "radius": sqrt_up(radius_squared(centred.problem)),
        "lower": centred.hard.lower,
        "upper": centred.hard.upper,
        **run_fields(centred.run),
        "margin": centred.run.margin,
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
