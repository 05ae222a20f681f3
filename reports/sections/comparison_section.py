"""The methods side by side: the perceptron, the best of its orders, the maximum margin, a soft margin."""

import math
from collections.abc import Callable
from typing import Any

from maxmargin.api.measures import Plane, angle_degrees
from maxmargin.reports.document import Block, TableBlock
from maxmargin.reports.sections.perceptron_section import share_of
from maxmargin.reports.study.soft_grid import SoftPoint
from maxmargin.reports.study.study import Study
from maxmargin.text.number_formats import (
    UNKNOWN,
    number,
    one_line,
    plural,
    proven,
    share_of_the_best,
    shown_interval,
)

Report = dict[str, Any]
Entry = dict[str, Any]

FLOAT = "~"
"""Stands before a number that is known in floating point only; all others are proven."""

_SAME_DIRECTION = 1e-6
"""Angle in degrees below which rounding decides its digits."""


def fields(study: Study) -> list[Entry]:
    """Return an entry for each method: what its hyperplane is worth, and what it took."""
    entries = [_perceptron(study), _best_order(study), _maximum(study), _fewest_errors(study), _soft(study)]
    return [entry for entry in entries if entry is not None]


def _entry(
    study: Study,
    name: str,
    plane: Plane | None,
    margin: float | None,
    *,
    work: str,
    is_proven: bool = True,
    **rest: Any,
) -> Entry:
    best = study.maximum
    angle = None if best is None or plane is None or plane is best else angle_degrees(plane, best)
    share = None if margin is None else share_of(margin, study.hard)
    return {
        "name": name, "margin": margin, "margin_is_proven": is_proven, "share": share,
        "angle_degrees": angle, "work": work,
        "n_errors": None, "n_rows": None, "rows_are": None, **rest,
    }  # fmt: skip


def _perceptron(study: Study) -> Entry:
    run = study.run
    work = plural(run.n_mistakes, "mistake")
    return _entry(
        study, "perceptron", study.found, run.margin if study.found else None, work=work, n_errors=study.n_errors,
        n_rows=int((run.mistake_counts > 0).sum()), rows_are="{} mistaken",
    )  # fmt: skip


def _best_order(study: Study) -> Entry | None:
    """Return the order with the greatest margin; its margin is known in floating point only."""
    orders = study.orders
    if orders is None or not orders.outcomes.converged.all() or study.maximum is None:
        return None
    outcomes = orders.outcomes
    margins = outcomes.margin
    k = int(margins.argmax())
    if not 0 < margins[k] < math.inf:
        return None
    name, work = f"best of {plural(len(margins), 'random order')}", plural(int(outcomes.n_mistakes[k]), "mistake")
    return _entry(study, name, None, float(margins[k]), work=work, is_proven=False, n_errors=0)


def _maximum(study: Study) -> Entry | None:
    if study.maximum is None:
        return None
    hard = study.hard
    return _entry(
        study, "maximum margin", study.maximum, hard.lower, work=hard.engine, n_errors=0, n_rows=len(hard.support),
        rows_are="{} of support",
    )  # fmt: skip


def _fewest_errors(study: Study) -> Entry | None:
    best = study.errors
    if best is None:
        return None
    return _entry(
        study, "fewest errors", study.best_of_search, None, work=f"{best.engine}, circuits", n_errors=best.upper,
        n_errors_lower=best.lower,
    )  # fmt: skip


def _soft(study: Study) -> Entry | None:
    points = [point for point in study.soft if point.plane is not None]
    if not points:
        return None
    if study.maximum is None:
        assert study.fewest_errors is not None
        return _soft_entry(study, study.fewest_errors)
    return _soft_entry(study, min(points, key=lambda point: (abs(math.log10(point.solution.C)), point.solution.C)))


def _soft_entry(study: Study, point: SoftPoint) -> Entry:
    name = f"soft margin, C = {number(point.solution.C)}"
    return _entry(
        study, name, point.plane, point.achieved_margin, work=point.solution.engine, n_errors=point.n_errors,
        n_rows=point.n_support, rows_are="{} of support",
    )  # fmt: skip


def blocks(report: Report) -> tuple[Block, ...]:
    """Return the table, with the rows that tell something."""
    entries = report["compared"]
    wanted = {name: (text, order) for name, text, order in _ROWS if any(text(entry, report) for entry in entries)}
    rows = tuple((name, *((text(entry, report) or UNKNOWN) for entry in entries)) for name, (text, _) in wanted.items())
    orders = tuple(tuple(order(entry) for entry in entries) for _, order in wanted.values())
    shares = {
        (row, column + 1): min(max(entry["share"], 0.0), 1.0)
        for row, name in enumerate(wanted)
        if name == "share of γ*"
        for column, entry in enumerate(entries)
        if entry["share"] is not None and entry["share"] > 0
    }
    columns = ("", *(one_line(entry["name"]) for entry in entries))
    table = TableBlock(
        "The methods side by side", columns, rows, numeric=range(1, len(columns)), shares=shares, orders=orders,
        key="comparison", note=f"{FLOAT} in floating point; all other numbers are proven in exact arithmetic.",
    )  # fmt: skip
    return (table,)


def _margin(entry: Entry, report: Report) -> str:
    if report["strictly_separable"] and entry["n_errors"]:
        return "does not separate"
    if entry["margin"] is None or not entry["margin"] > 0:
        return ""
    if entry["name"] == "maximum margin":
        hard = report["hard_margin"]
        upper = math.inf if hard["upper"] is None else hard["upper"]
        return proven(hard["lower"], upper, 7)
    return f"{'' if entry['margin_is_proven'] else FLOAT}{number(entry['margin'], 4)}"


def _share(entry: Entry, _: Report) -> str:
    if entry["name"] == "maximum margin":
        return "100 %"
    if entry["share"] is None or not entry["share"] > 0:
        return ""
    return f"{'' if entry['margin_is_proven'] else FLOAT}{share_of_the_best(entry['share'])}"


def _errors(entry: Entry, _: Report) -> str:
    if entry["n_errors"] is None:
        return ""
    lower = entry["n_errors"] if "n_errors_lower" not in entry else int(entry["n_errors_lower"])
    return shown_interval(lower, entry["n_errors"])


def _rows(entry: Entry, _: Report) -> str:
    if entry["n_rows"] is None:
        return ""
    return f"{'' if entry['name'] == 'perceptron' else FLOAT}{entry['rows_are'].format(plural(entry['n_rows'], 'row'))}"


def _angle(entry: Entry, report: Report) -> str:
    if entry["angle_degrees"] is None:
        return ""
    angle = entry["angle_degrees"] if entry["angle_degrees"] > _SAME_DIRECTION else 0.0
    return f"{FLOAT}{number(angle, 4)}°"


_ROWS: tuple[tuple[str, Callable[[Entry, Report], str], Callable[[Entry], float | None]], ...] = (
    ("margin", _margin, lambda entry: entry["margin"]),
    ("share of γ*", _share, lambda entry: entry["share"]),
    ("rows in error", _errors, lambda entry: entry["n_errors"]),
    ("rows that determine it", _rows, lambda entry: entry["n_rows"]),
    ("angle to the maximum margin", _angle, lambda entry: entry["angle_degrees"]),
    ("work", lambda entry, _: one_line(entry["work"]), lambda entry: None),
)
"""Name of each row, the text of its cells, and the number by which a reader sorts the columns."""
