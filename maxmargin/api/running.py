"""A run of the perceptron on a stated problem, and the scale of its constant coordinate."""

import math
import os
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidCheckpointError, InvalidOptionError, InvalidProblemError, option
from maxmargin.solvers.problem.problem import Problem

if TYPE_CHECKING:
    import numpy as np

    from maxmargin.solvers.perceptron.result import PerceptronRun
    from maxmargin.solvers.perceptron.settings import Progress


def run_perceptron(
    problem: Problem,
    *,
    bias_scale: float | str = 1.0,
    order: str = "cyclic",
    rng: "np.random.Generator | int | None" = None,
    on_progress: "Callable[[Progress], None] | None" = None,
    method: str = "auto",
    resume: "str | os.PathLike[str] | None" = None,
    **limits: Any,
) -> "PerceptronRun":
    """Do what `perceptron` does, for a stated problem."""
    from maxmargin.solvers.perceptron.row_orders import Order
    from maxmargin.solvers.perceptron.run import perceptron as run
    from maxmargin.solvers.perceptron.settings import Method, PerceptronSettings

    for name, value, choices in (("order", order, Order), ("method", method, Method)):
        if value not in list(choices):
            raise InvalidOptionError(f"{name} is {value!r}; expected one of {', '.join(choices)}")
    problem, scale, limits["time_limit"] = in_time(problem, bias_scale, limits.get("time_limit"))
    settings = PerceptronSettings(bias_scale=scale, order=Order(order), method=Method(method), **limits)
    generator = generator_of(rng)
    if resume is None:
        return run(problem, settings, rng=generator, on_progress=on_progress)
    from maxmargin.data.outofcore.warmstart.run_state import RunFile

    file = RunFile(resume, problem, settings, generator)
    kept = file.read()
    try:
        done = run(problem, settings, rng=generator, on_progress=on_progress, checkpoint=kept, on_checkpoint=file.write)
    except InvalidCheckpointError as error:
        raise file.refusal(error) from error
    if not done.converged:
        file.tell_what_is_kept()
    return done


def with_bias_scale(problem: Problem, bias_scale: float | str, limits: Limits | None = None) -> tuple[Problem, float]:
    """Return the problem that a perceptron with this bias scale runs on, and the scale as a number.

    Raises
    ------
    InvalidOptionError
        If the scale is neither a number nor "best".
    InvalidProblemError
        If it is "best" and no separating hyperplane is proven.
    """
    if bias_scale == "best":
        return best_bias_scale(problem, limits)
    from maxmargin.solvers.exact.reals import binary64, shown

    scale = binary64(bias_scale)
    if scale is None:
        expected = "expected a positive number that binary64 holds, or 'best'"
        raise InvalidOptionError(f"bias_scale is {shown(bias_scale)}; {expected}")
    return problem, scale


def in_time(problem: Problem, bias_scale: float | str, time_limit: float | None) -> tuple[Problem, float, float | None]:
    """Return what `with_bias_scale` does, and the seconds left for the run; finding "best" may take half of them.

    Raises
    ------
    InvalidOptionError, InvalidProblemError
        As `with_bias_scale`.
    """
    if bias_scale != "best" or time_limit is None:
        return *with_bias_scale(problem, bias_scale), time_limit
    from maxmargin.solvers.perceptron.settings import check_time_limit

    check_time_limit(time_limit)
    limits = Limits(time_limit=time_limit)
    return *best_bias_scale(problem, limits.part(2)), limits.share()


def generator_of(rng: "np.random.Generator | int | None") -> "np.random.Generator":
    """Return the generator, or a new one with this seed.

    Raises
    ------
    InvalidOptionError
        If it is neither.
    """
    import numpy as np

    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise InvalidOptionError(f"rng is {rng!r}; expected a numpy Generator or a whole number from 0") from error


def best_bias_scale(
    problem: Problem, limits: Limits | None = None, *, asked_by: str = option("bias_scale", "best")
) -> tuple[Problem, float]:
    """Return the problem and s = sqrt(R |b*|), for which the bound on the mistakes is least.

    Where b* = 0 the problem returned goes through the origin.

    Raises
    ------
    InvalidProblemError
        If no separating hyperplane is proven.
    """
    from maxmargin.solvers.exact.dyadic import sqrt_up
    from maxmargin.solvers.hard_margin.hard_margin import hard_margin as solve
    from maxmargin.solvers.problem.problem import radius
    from maxmargin.solvers.proof.margin_certificate import MarginAtLeast, MarginExactly
    from maxmargin.solvers.proof.margins import norm_squared

    if not problem.bias:
        return problem, 1.0
    answer = solve(problem, time_limit=None if limits is None else limits.share())
    plane = answer.certificate
    if answer.w is not None and answer.b is not None:
        offset = sqrt_up(Fraction(answer.b) ** 2 / norm_squared(answer.w))
    elif isinstance(plane, MarginAtLeast | MarginExactly):  # no floats separate
        offset = sqrt_up(plane.b**2 / sum(v * v for v in plane.w))
    else:
        late = ": the time limit was reached" if limits is not None and limits.is_over() else ""
        raise InvalidProblemError(f"{asked_by} needs separable data; found {answer.status}{late}")
    if offset == 0:
        return Problem(problem.X, problem.y, bias=False), 1.0
    return problem, math.sqrt(radius(problem)) * math.sqrt(offset)
