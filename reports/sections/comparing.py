"""The perceptron next to the exact answer: its run, its mistakes against the bounds, its hyperplane."""

from typing import Any

from maxmargin.reports import phrasing
from maxmargin.reports.document import Block, FigureSlot, Paragraph, Table, facts
from maxmargin.reports.number_formats import (
    UNKNOWN,
    count,
    interval,
    number,
    one_line,
    percent,
    plural,
    proven,
    shown,
    typeset,
    upper_end,
)

_MOST_FEATURES = 30

_TITLES = {
    "novikoff": "Novikoff",
    "augmented_b": "Novikoff, from the margin with bias",
    "best_scale": "Novikoff, at the best bias scale",
    "best_scale_searched": "Novikoff, at the best scale and hyperplane",
    "unit_norm": "Novikoff, for rows of norm 1",
    "sum_of_squares": "Novikoff, with the rows of the mistakes",
    "self_certificate": "The run's own certificate",
    "freund_schapire": "Freund–Schapire, soft margin",
    "freund_schapire_optimum": "Freund–Schapire, best of all",
    "hinge_optimum": "Hinge, best of all",
    "slack_of_the_mistakes": "Slack of the mistakes, soft margin",
    "conjunction": "Conjunction of literals",
    "trivial": "Presentations",
}


def perceptron(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return how the run went and what it proves."""
    run = report["perceptron"]
    opening = (
        f"Rosenblatt's perceptron starts at w = 0 and adds y x whenever a row is a mistake. It made "
        f"{plural(run['n_mistakes'], 'mistake')} in {plural(run['n_epochs'], 'epoch')} and {_ended(run)}."
    )
    return (
        Paragraph(opening),
        Paragraph(phrasing.convergence(report)),
        _run_table(report),
        Paragraph(_translation(report)),
        FigureSlot("margin-path"),
    )


def _ended(run: dict[str, Any]) -> str:
    because = phrasing.stopped_because(run)
    return because if run["converged"] else f"was {because}"


def _run_table(report: dict[str, Any]) -> Table:
    run = report["perceptron"]
    rows = [
        ("Mistakes", count(run["n_mistakes"])),
        ("Rows ever mistaken", f"{count(run['n_mistaken_rows'])} of {count(report['data']['n_samples'])}"),
        ("Epochs", f"{count(run['n_epochs'])}, {plural(run['n_presentations'], 'presentation')}"),
        ("Why it stopped", phrasing.stopped_because(run)),
        ("Fewest mistakes in an epoch", _optional_count(run["fewest_mistakes_in_an_epoch"])),
        ("Rows in error at the end", f"{count(run['n_errors'])} with y(w·x + b) ≤ 0"),
        ("‖w‖", number(run["norm"])),
        ("Margin achieved", _achieved(report)),
        ("Upper bound of γ* from its mistakes", number(run["margin_upper"])),
    ]
    if run["bias"]:
        rows += [
            (f"‖w‖ in the space {phrasing.space(run)} of the run", number(run["run_norm"])),
            ("Margin achieved there", shown(run, "run_margin")),
            ("Maximum margin there, proven", interval(run["run_maximum_lower"], run["run_maximum_upper"])),
            ("Its upper bound from the mistakes", number(run["run_upper"])),
        ]
    rows.append(("Rules", _rules(run)))
    return facts("The run", rows)


def _optional_count(value: int | None) -> str:
    return UNKNOWN if value is None else count(value)


def _achieved(report: dict[str, Any]) -> str:
    run, share = report["perceptron"], report["comparison"]["share_of_maximum"]
    if run["margin"] is None:
        return "none: it ended at w = 0"
    text = shown(run, "margin")
    if share is not None and run["margin"] > 0:
        return f"{text}, {percent(share)} of γ*"
    return f"{text}: a row is that far on the wrong side" if run["margin"] < 0 else text


def _rules(run: dict[str, Any]) -> str:
    seed = "" if run["order"] == "cyclic" else f", seed {run['seed']}"
    zero = {
        "mistake": "y w·x = 0 is a mistake",
        "positive": "w·x = 0 predicts +1",
        "negative": "w·x = 0 predicts −1",
    }[run["zero"]]
    return f"order {run['order']}{seed}; {zero}"


def _translation(report: dict[str, Any]) -> str:
    moved, run, data = report["translation"], report["perceptron"], report["data"]
    if moved["reason"] is not None:
        return f"The run was not repeated on centred data: {moved['reason']}."
    if report["strictly_separable"]:
        upper = phrasing.shown_upper(moved)
        stays = f"γ* stays {proven(moved['lower'], upper)} (proven: {interval(moved['lower'], upper)})"
    else:
        stays = "separability does not change"
    return (
        "Translation. γ* does not move with the data; R, b and the mistakes do. After every column is moved to mean 0, "
        f"{stays}, R goes from {number(data['radius'])} to {number(moved['radius'])}, and the perceptron makes "
        f"{plural(moved['n_mistakes'], 'mistake')} in {plural(moved['n_epochs'], 'epoch')}{_unless(moved)} instead of "
        f"{count(run['n_mistakes'])} in {count(run['n_epochs'])}{_unless(run)}."
    )


def _unless(run: dict[str, Any]) -> str:
    return "" if run["converged"] else " (not converged)"


def bounds(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the number of mistakes against every bound."""
    run = report["perceptron"]
    text = (
        "Each bound limits the number M of mistakes of a run from w = 0, under its assumption. It holds where the "
        "assumption is proven for these data and this run; where it is not, the value is shown but bounds nothing. A "
        f"bound that uses the length of this run is vacuous if it is at least its {count(run['n_presentations'])} "
        "presentations: no run can make more mistakes than presentations, so such a bound says nothing about this one. "
        "R²/g² speaks of every run in every order, whatever this one's length. M/bound is the part of the bound that "
        "was used up."
    )
    return (
        Paragraph(text),
        _bounds_table(report["bounds"]),
        FigureSlot("mistakes"),
        _assumptions_table(report["bounds"]),
    )


def _bounds_table(entries: list[dict[str, Any]]) -> Table:
    rows = tuple(
        (
            _TITLES.get(entry["name"], entry["name"]),
            entry["name"],
            shown(entry, "value", say=upper_end),
            "yes" if entry["valid"] else "no",
            "yes" if entry["vacuous"] else "no",
            shown(entry, "ratio", 3) if entry["valid"] else UNKNOWN,
        )
        for entry in entries
    )
    columns = ("Bound", "Name", "Value", "Holds", "Vacuous", "M/bound")
    return Table(caption="Bounds on the mistakes", columns=columns, rows=rows, numeric=frozenset((2, 5)))


def _assumptions_table(entries: list[dict[str, Any]]) -> Table:
    rows = tuple((entry["name"], typeset(entry["assumption"]), typeset(entry["reference"])) for entry in entries)
    return Table(caption="What each bound assumes", columns=("Name", "Assumption and formula", "Reference"), rows=rows)


def planes(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the two hyperplanes side by side."""
    comparison = report["comparison"]
    if comparison["reference"] is None:
        text = "No hyperplane with w ≠ 0 was found to compare the perceptron's with."
    elif comparison["cosine"] is None:
        text = "The perceptron ended at w = 0, which is no hyperplane to compare."
    else:
        text = (
            f"The normal of the perceptron's hyperplane and that of the {comparison['reference']} form an angle of "
            f"{number(comparison['angle_degrees'], 4)}° (cosine {number(comparison['cosine'])})."
        )
        if not report["strictly_separable"]:
            text += " There is no maximum margin here; the soft margin with the fewest errors stands in its place."
    return (Paragraph(text), FigureSlot("distances"), FigureSlot("projection"), *_normals(report))


def _normals(report: dict[str, Any]) -> tuple[Table, ...]:
    best, found = report["hard_margin"]["unit_w"], report["perceptron"]["unit_w"]
    if best is None or found is None:
        return ()
    names = report["data"]["feature_names"]
    order = sorted(range(len(best)), key=lambda j: -abs(best[j]))[:_MOST_FEATURES]
    rows = tuple((one_line(names[j]), number(best[j]), number(found[j])) for j in order)
    note = (
        f"The {_MOST_FEATURES} of {count(len(names))} features with the greatest |w*|." if len(best) > len(rows) else ""
    )
    columns = ("Feature", "w*/‖w*‖", "Perceptron w/‖w‖")
    caption = "The unit normals, feature by feature"
    return (Table(caption=caption, columns=columns, rows=rows, numeric=frozenset((1, 2)), note=note),)
