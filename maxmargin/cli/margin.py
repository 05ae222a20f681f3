"""``maxmargin margin``: the maximum margin, or the soft-margin SVM."""

from typing import TYPE_CHECKING, Any

from maxmargin.api import problem_of
from maxmargin.cli.exits import Exit
from maxmargin.cli.output import (
    attempt_fields,
    data_fields,
    headline,
    hyperplane_text,
    listed,
    print_json,
    row_names,
    row_numbers,
    waiting,
)
from maxmargin.solvers.hard_margin import hard_margin
from maxmargin.solvers.soft_margin import soft_margin
from maxmargin.solvers.solution import Status

if TYPE_CHECKING:
    from maxmargin.dataset import Dataset
    from maxmargin.solvers.solution import HardMargin, SoftMargin

_EXITS = {Status.OPTIMAL: Exit.OK, Status.NOT_STRICTLY_SEPARABLE: Exit.NOT_STRICTLY_SEPARABLE}


def margin(dataset: "Dataset", *, bias: bool, solver: str | None, as_json: bool, quiet: bool) -> Exit:
    """Print the maximum margin and return the exit code."""
    with waiting("solving for the maximum margin", quiet=quiet):
        answer = hard_margin(problem_of(dataset, bias=bias), solver=solver)
    if as_json:
        print_json("margin", {**data_fields(dataset), "bias": bias, **hard_fields(dataset, answer)})
    else:
        print(headline(dataset))
        print(_hard_text(dataset, answer))
    return _EXITS.get(answer.status, Exit.UNDECIDED)


def soft(dataset: "Dataset", C: float, *, bias: bool, solver: str | None, as_json: bool, quiet: bool) -> Exit:
    """Print the soft margin and return the exit code."""
    with waiting("solving for the soft margin", quiet=quiet):
        answer = soft_margin(problem_of(dataset, bias=bias), C, solver=solver)
    if as_json:
        print_json("soft-margin", {**data_fields(dataset), "bias": bias, **_soft_fields(dataset, answer)})
    else:
        print(headline(dataset))
        print(_soft_text(dataset, answer))
    return _EXITS.get(answer.status, Exit.UNDECIDED)


def hard_fields(dataset: "Dataset", answer: "HardMargin") -> dict[str, Any]:
    """Return the answer as JSON fields."""
    return {
        "status": answer.status.value,
        "margin": answer.margin,
        "lower": answer.lower,
        "upper": answer.upper,
        "gap": answer.gap,
        "w": answer.w,
        "b": answer.b,
        **listed("support", row_numbers(dataset, answer.support)),
        **row_names(dataset, "support", answer.support),
        "support_dual": answer.dual[answer.support][:1000],
        "primal_residual": answer.primal_residual,
        "dual_residual": answer.dual_residual,
        "engine": answer.engine,
        "attempts": attempt_fields(answer.attempts),
    }


def _soft_fields(dataset: "Dataset", answer: "SoftMargin") -> dict[str, Any]:
    import numpy as np

    norm = float(np.linalg.norm(answer.w))
    return {
        "status": answer.status.value,
        "C": answer.C,
        "objective": answer.objective,
        "lower": answer.lower,
        "gap": answer.gap,
        "w": answer.w,
        "b": answer.b,
        "margin": 1 / norm if norm else None,
        **listed("support", row_numbers(dataset, answer.support)),
        **row_names(dataset, "support", answer.support),
        "support_dual": answer.dual[answer.support][:1000],
        "slack_sum": float(answer.slack.sum()),
        "slack_count": int((answer.slack > 0).sum()),
        "n_errors": int((answer.slack >= 1).sum()),
        "engine": answer.engine,
        "attempts": attempt_fields(answer.attempts),
    }


def _hard_text(dataset: "Dataset", answer: "HardMargin") -> str:
    lines = [f"{answer.status.value}: {answer.status.advice}"]
    if answer.w is not None and answer.b is not None:
        lines += [
            f"  maximum margin {answer.margin!r}",
            f"  proven interval [{answer.lower!r}, {answer.upper!r}], width {answer.gap:.2g}",
            f"  support rows (from 0): {_some(row_numbers(dataset, answer.support))}",
            hyperplane_text(dataset.feature_names, answer.w, answer.b),
        ]
    elif answer.status is Status.UNDECIDED:
        lines.append(f"  proven interval [{answer.lower!r}, {answer.upper!r}]")
    found = [] if answer.engine == "none" else [f"  found by {answer.engine}"]
    return "\n".join([*lines, *found])


def _soft_text(dataset: "Dataset", answer: "SoftMargin") -> str:
    n_slack, n_errors = int((answer.slack > 0).sum()), int((answer.slack >= 1).sum())
    return "\n".join(
        [
            f"{answer.status.value}: {answer.status.advice}",
            f"  objective 1/2||w||^2 + C sum xi at C = {answer.C!r}: {answer.objective!r}",
            f"  proven interval of the optimum [{answer.lower!r}, {answer.objective!r}]",
            f"  {n_slack} rows inside the margin or wrong, {n_errors} of them wrong; "
            f"{len(answer.support)} support rows",
            hyperplane_text(dataset.feature_names, answer.w, answer.b),
            "  no solver improved on w = 0" if answer.engine == "none" else f"  found by {answer.engine}",
        ]
    )


def _some(rows: Any, most: int = 20) -> str:
    text = ", ".join(map(str, rows[:most].tolist()))
    return text if len(rows) <= most else f"{text}, ... ({len(rows)} in all)"
