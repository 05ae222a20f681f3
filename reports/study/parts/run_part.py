"""The run of the perceptron, along its mistakes and beside the maximum margin."""

import math
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.api.measures import Plane, angle_degrees, cosine
from maxmargin.api.running import run_perceptron, with_bias_scale
from maxmargin.reports.study.report_settings import OnProgress, ReportSettings
from maxmargin.reports.study.summary_fields import chosen
from maxmargin.reports.study.two_class_study import Part, TwoClassStudy, Workspace
from maxmargin.solvers.exact.dyadic import round_down
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory

# Limit of epochs of a run that need not converge, if the caller sets none and every epoch reads the rows again.
_EPOCHS_WITHOUT_PROOF = 20

# Number of last epochs over which the rate of mistakes is averaged.
_RECENT_EPOCHS = 100

_OF_RUN = (
    "n_mistakes", "n_epochs", "converged", "stop_reason", "margin", "margin_upper", "run_margin", "run_upper", "zero",
    "bias_scale", "prepare", "order", "seed", "max_epochs", "max_mistakes", "w", "b", "norm", "mistakes_per_epoch",
    "mistake_rows",
)  # fmt: skip


def _compute(study: TwoClassStudy, workspace: Workspace) -> None:
    problem, scale = with_bias_scale(study.problem, study.settings.bias_scale, workspace.limits.part(2))
    study.run_problem = problem
    study.run = run_of(problem, affordable(study), scale, workspace.on_progress, workspace.limits.share())


def affordable(study: TwoClassStudy) -> ReportSettings:
    """Return the settings of the runs: a million mistakes may be hundreds of passes over a disk, without result."""
    settings, is_in_memory = study.settings, isinstance(study.problem.row_source, InMemory)
    if study.separability.strictly_separable or settings.max_epochs is not None or is_in_memory:
        return settings
    return replace(settings, max_epochs=_EPOCHS_WITHOUT_PROOF)


def run_of(
    problem: Problem,
    settings: ReportSettings,
    scale: float,
    on_progress: OnProgress | None,
    time_limit: float | None = None,
) -> PerceptronRun:
    """Run the perceptron with these settings and this bias coordinate.

    Raises
    ------
    KeyboardInterrupt
        If the run was interrupted: half a report would look like a whole one.
    """
    how = {name: getattr(settings, name) for name in ("zero", "order", "max_epochs", "max_mistakes")}
    run = run_perceptron(
        problem, bias_scale=scale, rng=settings.seed, time_limit=time_limit, on_progress=on_progress, **how
    )
    if run.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return run


def _fields(study: TwoClassStudy) -> dict[str, Any]:
    return {"perceptron": _run(study), "trace": _trace(study), "comparison": _comparison(study)}


def _run(study: TwoClassStudy) -> dict[str, Any]:
    run, settings = study.run, study.settings
    return {
        **chosen(run.fields(prepare=settings.prepare, seed=settings.seed), _OF_RUN),
        "run_norm": run.run_norm,
        "run_maximum_lower": study.run_hard.lower,
        "run_maximum_upper": study.run_hard.upper,
        "n_errors": study.n_errors,
        "n_presentations": run.n_presentations,
        "unit_w": None if study.found is None else study.found.unit,
        "bias": study.run_problem.bias,
        **_rates(run),
        "n_mistaken_rows": np.count_nonzero(run.mistake_counts),
    }


def run_fields(run: PerceptronRun) -> dict[str, Any]:
    """Return the outcome of a run in short."""
    return chosen(run.fields(), ("n_mistakes", "n_epochs", "converged", "stop_reason"))


def _rates(run: PerceptronRun) -> dict[str, Any]:
    """Return the fewest mistakes of an epoch and the recent mean; epochs cut short by a limit do not count."""
    is_cut = run.stop_reason in (StopReason.MAX_MISTAKES, StopReason.TIME_LIMIT, StopReason.INTERRUPTED)
    whole = run.mistakes_per_epoch[:-1] if is_cut else run.mistakes_per_epoch
    return {
        "n_whole_epochs": len(whole),
        "fewest_mistakes_in_an_epoch": int(whole.min()) if len(whole) else None,
        "most_mistakes_in_an_epoch": int(whole.max()) if len(whole) else None,
        "n_recent_epochs": min(_RECENT_EPOCHS, len(whole)),
        "recent_mistakes_per_epoch": float(whole[-_RECENT_EPOCHS:].mean()) if len(whole) else None,
    }


def _comparison(study: TwoClassStudy) -> dict[str, Any]:
    """Compare the perceptron's hyperplane with the maximum margin, or with the soft margin of fewest errors."""
    reference, planes = study.reference, study.planes
    is_known = len(planes) == 2
    holding = (bound for bound in study.bounds if bound.name == "novikoff" and bound.valid)
    return {
        "reference": None if reference is None else reference.name,
        "cosine": cosine(*planes) if is_known else None,
        "angle_degrees": angle_degrees(*planes) if is_known else None,
        **angle_fields(study, study.found if study.maximum else None),
        "novikoff_ratio": next((bound.ratio(study.run.n_mistakes) for bound in holding), None),
        "share_of_maximum": share_of(study.run.margin, study.hard) if is_known else None,
    }


def angle_fields(study: TwoClassStudy, plane: Plane | None) -> dict[str, float | None]:
    """Return the proven ends of the angle of a hyperplane and that of the maximum margin, in degrees."""
    lower, upper = study.hard.angle_of(None if plane is None else plane.w)
    return {"angle_lower": lower, "angle_upper": upper}


def share_of(margin: float, hard: HardMargin) -> float | None:
    """Return a margin as a share of the maximum, no more than it proves; None without a maximum.

    The quotient is of the exact numbers, as the upper end of the maximum may be tiny; it is rounded down.
    """
    if not hard.lower > 0 or not math.isfinite(margin):
        return None
    return round_down(Fraction(margin) / Fraction(hard.upper)) if math.isfinite(hard.upper) else 0.0


def _trace(study: TwoClassStudy) -> dict[str, Any]:
    """Return the run along some of its mistakes; unknown numbers are None."""
    trace = study.trace
    return {
        "n_traced": len(trace.n_mistakes),
        **{name: getattr(trace, name) for name in ("is_whole", "holds", "inequalities")},
        "violations": [asdict(violation) for violation in trace.violations],
        "reason": trace.reason,
        "radius": trace.radius,
        "u_margin": trace.u_margin if trace.u is not None else None,
        "bound": trace.bound if trace.u is not None else None,
        **trace.columns(),
    }


RUN = Part(name="run", n_shares=4, compute=_compute, fields=_fields)
