"""Units: by how much columns have to be rescaled until a tolerance turns the verdict around.

Whether classes are separable does not change when columns are multiplied by positive numbers, but the optimum of a
linear program with bounded coefficients does, and with it the verdict that follows from a fixed tolerance.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from maxmargin.comparison.data_sets import RowSelection, seen
from maxmargin.comparison.jobs.child import Meter
from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.outcome import Ending, Outcome
from maxmargin.comparison.jobs.run_jobs import Job, Workers, run
from maxmargin.comparison.methods.peer_scripts import konis_lp
from maxmargin.comparison.methods.textbook_programs import max_t_lp
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits

TASK = f"{__name__}:rescaled"

# Tolerances that users and packages compare an optimum with.
TOLERANCES = (1e-4, 1e-6, 1e-8)

# Powers of ten by which columns are multiplied.
POWERS = (-9, -6, -3, 0, 3, 6, 9)

# Columns that are rescaled one by one; of wider data only all of them together.
MOST_COLUMNS = 32

# Rules that turn an optimum into a verdict, each with the number that it compares with the tolerance.
RULES = {
    "max t > tolerance": "the optimum of max t, y(w.x + b) >= t, |w| <= 1",
    "any |beta| > tolerance": "a coefficient of the program of Konis (2007)",
}


def rescaled(arguments: Mapping[str, Any], meter: Meter) -> dict[str, Any]:
    """Return the values that the rules compare, after a column or all columns were multiplied by each power.

    Parameters
    ----------
    arguments : mapping
        `view`, the rows; `column`, its position, or None for all columns.
    meter : Meter
    """
    problem = seen(arguments["view"]).problem
    X: Floats = np.array(problem.X if isinstance(problem.X, np.ndarray) else problem.X.toarray())
    column = arguments["column"]
    chosen = slice(None) if column is None else [column]
    copies = {power: copy for power in POWERS if (copy := _scaled(X, chosen, power)) is not None}
    with meter.measured():
        values = {str(power): _values(copy, problem.y) for power, copy in copies.items()}
    return {"values": values}


def _scaled(X: Floats, columns: Any, power: int) -> Floats | None:
    """Return a copy with columns multiplied by the power of two that is nearest to a power of ten.

    None where binary64 does not hold the products: rounded ones need not have the verdict of the data.
    """
    copy, exponent = X.copy(), round(power * math.log2(10))
    with np.errstate(over="ignore"):
        copy[:, columns] = np.ldexp(X[:, columns], exponent)
        is_exact = np.array_equal(np.ldexp(copy[:, columns], -exponent), X[:, columns])
    return copy if is_exact else None


def _values(X: Floats, y: Floats) -> dict[str, float | None]:
    largest_t = _finite_or_none(lambda X, y: max_t_lp(X, y, solver="HIGHS")[3], X, y)
    return dict(zip(RULES, (largest_t, _finite_or_none(_largest_coefficient, X, y)), strict=True))


def _finite_or_none(optimum: Callable[[Floats, Floats], Any], X: Floats, y: Floats) -> float | None:
    """Return an optimum; None if the solver returns none, or fails."""
    try:
        found = optimum(X, y)
    except Exception:  # solvers raise anything
        return None
    return None if found is None or not np.isfinite(found) else float(found)


def _largest_coefficient(X: Floats, y: Floats) -> Any:
    w, b, *_ = konis_lp(X, y)
    return None if w is None else np.abs([*w, b]).max()


def audit_units(
    view: RowSelection, names: Sequence[str], verdict: str, workers: Workers, limit: Limit, limits: Limits
) -> list[dict[str, Any]]:
    """Return the verdict of every rule and tolerance on the data, and the rescalings that reverse it.

    Returns
    -------
    list of dict
        `rule`, `tolerance`, `says` (about the data as they are), `is_right`, `wrong_at`: (column, power of ten) of
        every rescaling at which it contradicts the proven verdict, and `not_answered`, the number of programs that
        found no optimum, or none in time. Rescalings whose products binary64 does not hold are left out.
    """
    columns: list[int | None] = [None, *(range(len(names)) if len(names) <= MOST_COLUMNS else ())]
    measured: dict[int | None, Any] = {key: {str(power): dict.fromkeys(RULES) for power in POWERS} for key in columns}

    def note(job: Job, outcome: Outcome) -> None:
        if outcome.ending is Ending.OK:
            measured[job.arguments["column"]] = outcome.fields["values"]

    jobs = (
        Job(key=f"{column}", task=TASK, limit=limit.within(limits), arguments={"view": view, "column": column})
        for column in columns
    )
    run(jobs, workers, is_done=lambda job: limits.is_over(), on_done=note)
    labels: dict[int | None, str] = {None: "all columns"} | dict(enumerate(names))
    return [_entry(rule, tolerance, measured, labels, verdict) for rule in RULES for tolerance in TOLERANCES]


def _entry(
    rule: str, tolerance: float, measured: Mapping[int | None, Any], labels: Mapping[int | None, str], verdict: str
) -> dict[str, Any]:
    # max t is positive for complete separation only; the coefficients are not 0 for quasi-complete separation too
    right = verdict == "separable" if rule.startswith("max t") else verdict in ("separable", "quasi-separable")
    wrong, n_missing, says = [], 0, None
    for column, power, value in _cases(measured, rule):
        if value is None:
            n_missing += 1
            continue
        is_above = value > tolerance
        if power == 0:
            says = is_above
        if verdict != "undecided" and is_above != right:
            wrong.append((labels[column], power))
    is_right = None if says is None or verdict == "undecided" else says == right
    return {"rule": rule, "tolerance": tolerance, "says": says, "is_right": is_right,
            "wrong_at": sorted(wrong, key=lambda case: (abs(case[1]), case[0] != "all columns", case)),
            "not_answered": n_missing}  # fmt: skip


def _cases(measured: Mapping[int | None, Any], rule: str) -> Iterator[tuple[int | None, int, float | None]]:
    """Yield the rescaled column, the power of ten and the value; the unscaled data only once."""
    for column, by_power in measured.items():
        for power, values in by_power.items():
            if int(power) != 0 or column is None:
                yield column, int(power), values[rule]
