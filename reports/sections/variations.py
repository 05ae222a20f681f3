"""The same rows in other orders, and moved, scaled or prepared: as fields of the summary, and as two sections."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from maxmargin.reports.document import Block, Paragraph, TableBlock
from maxmargin.reports.phrasing import bound_title, shown_upper
from maxmargin.reports.sections.shared import Columns, table_of
from maxmargin.reports.study.translated import MOST_MISTAKES, Translated
from maxmargin.solvers.perceptron.hard_orders import FoundOrder
from maxmargin.text.number_formats import count, floor_of, number, percent, plural, proven, shown
from maxmargin.theory.order_studies import OrderStudy

_PREPARED = {"raw": "raw", "center": "centred", "standardize": "standardised"}

SOURCE, RANDOM, LOCAL_SEARCH = "order of the source", "random orders", "local search"
ADVERSARY, LONGEST_PATH = "adversary", "longest path"

FOUND = {
    SOURCE: "in the order of the source",
    RANDOM: "in a random order",
    LOCAL_SEARCH: "by a local search among orders",
    ADVERSARY: "by an adversary, who may choose and repeat any row at any time",
}
"""How the fewest or the most mistakes were found."""


def order_fields(study: OrderStudy | None, why: str) -> dict[str, Any]:
    """Return the study in short; only the reason where there is none."""
    if study is None:
        return {"reason": why}
    outcomes = study.outcomes
    return {
        "reason": None,
        "why_one_pass": why or None,
        **asdict(study.effort),
        "seed": study.runs.seed,
        "max_epochs": study.settings.max_epochs,
        "max_mistakes": study.settings.max_mistakes,
        "n_converged": np.count_nonzero(outcomes.converged),
        "n_capped": study.n_capped,
        "is_sorted_by_class": study.is_sorted_by_class,
        "fewest_seen": study.fewest_seen,
        "most_seen": study.most_seen,
        "quantiles": [[level, value] for level, value in study.quantiles.items()],
        "mean": outcomes.n_mistakes.mean(),
        "least": outcomes.n_mistakes.min(),
        "most": outcomes.n_mistakes.max(),
        "margins": _margins(study),
        "file_order": _run(study.given),
        "best_order": {**_run(study.fewest), "order": study.fewest.order},
        "worst_order": {**_run(study.most), "order": study.most.order},
        "sequence": _sequence(study),
        "worst": _worst(study),
        "best": _best(study),
        "bounds": [{"name": b.name, "value": b.value, "vacuous": b.vacuous} for b in study.bounds],
    }


def _run(found: FoundOrder) -> dict[str, Any]:
    return {"n_mistakes": found.n_mistakes, "n_epochs": found.n_epochs, "converged": bool(found.converged)}


def _sequence(study: OrderStudy) -> dict[str, Any] | None:
    found = study.adversary
    if found is None:
        return None
    return {"n_mistakes": found.n_mistakes, "rule": str(found.rule), "is_complete": found.is_complete}


def _margins(study: OrderStudy) -> dict[str, Any] | None:
    """Return the margins that the runs achieved, in floating point; None unless every run ended on a hyperplane."""
    if not (study.outcomes.converged.all() and np.isfinite(study.outcomes.margin).all()):
        return None
    levels = [*study.quantiles]
    values = np.quantile(study.outcomes.margin, levels, method="inverted_cdf").tolist()
    found = [[level, value] for level, value in zip(levels, values, strict=True)]
    return {"least": values[0], "median": dict(found)[0.5], "greatest": values[-1], "quantiles": found}


def _best(study: OrderStudy) -> dict[str, Any]:
    """Return the fewest mistakes found, and what found them."""
    by_engine = {
        SOURCE: study.given.n_mistakes,
        RANDOM: int(study.outcomes.n_mistakes.min()),
        LOCAL_SEARCH: study.fewest.n_mistakes,
    }
    engine = min(by_engine, key=lambda name: by_engine[name])
    return {"n_mistakes": by_engine[engine], "engine": engine}


def _worst(study: OrderStudy) -> dict[str, Any]:
    """Return the most mistakes found, what found them, and whether they are proven to be the most possible."""
    if study.worst_case is not None:
        return {"n_mistakes": study.worst_case, "engine": LONGEST_PATH, "proven": True}
    by_engine = {
        SOURCE: study.given.n_mistakes,
        RANDOM: int(study.outcomes.n_mistakes.max()),
        LOCAL_SEARCH: study.most.n_mistakes,
        ADVERSARY: 0 if study.adversary is None else study.adversary.n_mistakes,
    }
    engine = max(by_engine, key=lambda name: by_engine[name])
    return {"n_mistakes": by_engine[engine], "engine": engine, "proven": False}


def order_blocks(report: Mapping[str, Any]) -> tuple[Block, ...]:
    """Return the section."""
    orders = report["orders"]
    if orders["reason"] is not None:
        return ()
    return (
        Paragraph(_orders_opening(orders)),
        _orders_table(orders),
        Paragraph(_worst_text(orders)),
        *_margin_text(report),
    )


def _orders_opening(orders: Mapping[str, Any]) -> str:
    quantiles = dict(map(tuple, orders["quantiles"]))
    until = "until convergence" if orders["max_epochs"] is None else f"for one pass, because {orders['why_one_pass']}"
    return (
        "Separability does not depend on the order of the rows, but the mistakes do. The perceptron ran in "
        f"{plural(orders['n_orders'], 'random order')}, each {until}. Half of them made {count(quantiles[0.5])} "
        f"mistakes or fewer; nine in ten made between {count(quantiles[0.05])} and {count(quantiles[0.95])}. The order "
        f"of the source makes {count(orders['file_order']['n_mistakes'])}.{_cut(orders)}"
    )


def _cut(orders: Mapping[str, Any]) -> str:
    n_cut = orders["n_orders"] - orders["n_converged"]
    if orders["max_epochs"] is not None or not n_cut:
        return ""
    return f" {count(n_cut)} of the orders did not converge within {plural(orders['max_mistakes'], 'mistake')}."


def _orders_table(orders: Mapping[str, Any]) -> TableBlock:
    rows = [
        ("Order of the source", *_cells(orders["file_order"])),
        ("Fewest mistakes found in an order", *_cells(orders["best_order"])),
        ("Fewest in a random order", count(orders["least"]), ""),
        ("Mean over the random orders", number(orders["mean"], 4), ""),
        ("Most in a random order", count(orders["most"]), ""),
        ("Most mistakes found in an order", *_cells(orders["worst_order"])),
    ]
    if orders["sequence"] is not None:
        rows.append((f"Adversary who chooses every row ({orders['sequence']['rule']})", _chosen(orders), ""))
    if orders["worst"]["proven"]:
        rows.append(("Longest of all sequences, proven", count(orders["worst"]["n_mistakes"]), ""))
    rows += [
        (f"Bound: {bound_title(bound['name'])}", floor_of(bound["value"]), "")
        for bound in orders["bounds"]
        if not bound["vacuous"]
    ]
    return TableBlock("Mistakes by order", ("", "Mistakes", "Epochs"), tuple(rows), numeric=(1, 2))


def _cells(found: Mapping[str, Any]) -> tuple[str, str]:
    return count(found["n_mistakes"]), count(found["n_epochs"])


def _chosen(orders: Mapping[str, Any]) -> str:
    sequence = orders["sequence"]
    return f"{'' if sequence['is_complete'] else '≥ '}{count(sequence['n_mistakes'])}"


def _worst_text(orders: Mapping[str, Any]) -> str:
    worst = orders["worst"]
    if worst["proven"]:
        return (
            f"All sequences of rows were examined: none has more than {plural(worst['n_mistakes'], 'mistake')}, in any "
            "order and with any repetitions. The longest path through the reachable weights proves it."
        )
    text = (
        f"The most mistakes were found {FOUND[worst['engine']]}: {count(worst['n_mistakes'])}. This is a lower bound "
        "on the worst case; a search proves no more."
    )
    if orders["max_epochs"] is not None:
        return f"{text} The bounds apply to one pass, in any order."
    return f"{text} The bounds hold for any order, and any sequence, of these rows."


def _margin_text(report: Mapping[str, Any]) -> tuple[Paragraph, ...]:
    margins, best = report["orders"]["margins"], report["hard_margin"]["upper"]
    if margins is None or not best:
        return ()
    least, median, greatest = (percent(margins[key] / best) for key in ("least", "median", "greatest"))
    return (
        Paragraph(
            f"The margins achieved in the random orders range from {least} to {greatest} of γ*; half of them are "
            f"{median} or less (in floating point)."
        ),
    )


def translation_fields(found: Translated) -> list[dict[str, Any]]:
    """Return every point, with the study it belongs to."""
    studies = {"shift": found.shifts, "scale": found.scales, "preparation": found.preparations}
    return [{"study": name, **asdict(point)} for name, points in studies.items() for point in points]


def translation_blocks(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the section."""
    if report["translations_reason"] is not None:
        return ()
    return (
        Paragraph(_translation_opening(report)),
        *(_points_table(report, study) for study in _STUDIES if _points(report, study)),
    )


def _points(report: dict[str, Any], study: str) -> list[dict[str, Any]]:
    return [point for point in report["translations"] if point["study"] == study]


def _translation_opening(report: dict[str, Any]) -> str:
    text = (
        "γ* depends neither on the position of the origin nor on the constant coordinate s that carries the bias; the "
        "mistakes of the perceptron and their bounds depend on both. Novikoff's bound for the rows (x, s) is "
        "(R² + s²)/g². With the hyperplane of margin γ* and ‖w‖ = 1 it becomes (R² + s²)(1 + b²/s²)/γ*², whose minimum "
        "over s is (R + |b|)²/γ*², at s = √(R|b|) only. Every line is a run in the order of the source in which "
        f"y w·x = 0 is a mistake; ≥ marks runs that were stopped at their limit, {count(MOST_MISTAKES)} mistakes."
    )
    if report["shifts_reason"] is not None:
        text += f" The rows were not translated: {report['shifts_reason']}."
    return text


def _points_table(report: dict[str, Any], study: str) -> TableBlock:
    caption, first, name = _STUDIES[study]
    columns: Columns = {
        first: name,
        "R": lambda point: number(point["radius"], 4),
        "|b|/‖w‖": lambda point: number(point["offset"], 4),
        "γ*": lambda point: proven(point["margin_lower"], shown_upper(point, "margin_upper"), 7),
        "Mistakes": lambda point: f"{'' if point['converged'] else '≥ '}{count(point['n_mistakes'])}",
        "Novikoff": lambda point: shown(point, "novikoff", 4, say=floor_of),
        "(R + |b|)²/γ*²": lambda point: shown(point, "best_scale_bound", 4, say=floor_of),
    }
    return table_of(caption, _points(report, study), columns, numeric=range(1, len(columns)))


def _scale(point: dict[str, Any]) -> str:
    return f"{number(point['bias_scale'])}{', √(R|b|)' if point['is_best_scale'] else ''}"


_STUDIES: dict[str, tuple[str, str, Callable[[dict[str, Any]], str]]] = {
    "preparation": ("Raw, centred, standardised", "Features", lambda point: _PREPARED[point["preparation"]]),
    "shift": ("Translated by multiples of the mean of the rows", "Shift", lambda point: number(point["shift"], 4)),
    "scale": ("At other bias scales", "Bias scale s", _scale),
}
"""Caption, first column and its cells of the table of each study."""
