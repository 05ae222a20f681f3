"""The methods side by side, as fields: the perceptron, the best of its orders, the maximum margin, a soft margin."""

import math
from typing import Any

from maxmargin.api.measures import Plane
from maxmargin.reports.study.parts.run_part import angle_fields, share_of
from maxmargin.reports.study.two_class_study import SoftPoint, TwoClassStudy
from maxmargin.text.number_formats import plural, rounded

Entry = dict[str, Any]


def compared_fields(study: TwoClassStudy) -> list[Entry]:
    """Return an entry for each method: what its hyperplane is worth, and what it took."""
    entries = [_perceptron(study), _best_order(study), _maximum(study), _fewest_errors(study), _soft(study)]
    return [entry for entry in entries if entry is not None]


def _entry(
    study: TwoClassStudy,
    name: str,
    plane: Plane | None,
    margin: float | None,
    *,
    work: str,
    is_proven: bool = True,
    **rest: Any,
) -> Entry:
    share = None if margin is None else share_of(margin, study.hard)
    return {
        "name": name, "margin": margin, "margin_is_proven": is_proven, "share": share,
        **angle_fields(study, None if plane is study.maximum else plane), "work": work,
        "n_errors": None, "n_rows": None, "rows_are": None, **rest,
    }  # fmt: skip


def _perceptron(study: TwoClassStudy) -> Entry:
    run = study.run
    work = plural(run.n_mistakes, "mistake")
    return _entry(
        study, "perceptron", study.found, run.margin if study.found else None, work=work, n_errors=study.n_errors,
        n_rows=int((run.mistake_counts > 0).sum()), rows_are="{} mistaken",
    )  # fmt: skip


def _best_order(study: TwoClassStudy) -> Entry | None:
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


def _maximum(study: TwoClassStudy) -> Entry | None:
    if study.maximum is None:
        return None
    hard = study.hard
    return _entry(
        study, "maximum margin", study.maximum, hard.lower, work=hard.engine, n_errors=0, n_rows=len(hard.support),
        rows_are="{} of support",
    )  # fmt: skip


def _fewest_errors(study: TwoClassStudy) -> Entry | None:
    best = study.errors
    if best is None:
        return None
    return _entry(
        study, "fewest errors", study.best_of_search, None, work=f"{best.engine}, circuits", n_errors=best.upper,
        n_errors_lower=best.lower,
    )  # fmt: skip


def _soft(study: TwoClassStudy) -> Entry | None:
    points = [point for point in study.soft if point.plane is not None]
    if not points:
        return None
    if study.maximum is None:
        assert study.fewest_errors is not None
        return _soft_entry(study, study.fewest_errors)
    return _soft_entry(study, min(points, key=lambda point: (abs(math.log10(point.solution.C)), point.solution.C)))


def _soft_entry(study: TwoClassStudy, point: SoftPoint) -> Entry:
    name = f"soft margin, C = {rounded(point.solution.C)}"
    return _entry(
        study, name, point.plane, point.achieved_margin, work=point.solution.engine, n_errors=point.n_errors,
        n_rows=point.n_support, rows_are="{} of support",
    )  # fmt: skip
