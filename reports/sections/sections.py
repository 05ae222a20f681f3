"""The two-class report as a document: each section reads the summary dict and nothing else."""

from collections.abc import Callable
from typing import Any

from maxmargin.reports import words
from maxmargin.reports.document import Block, Card, Document, FigureSlot, Paragraph, Points, Section, Table
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
    upper_end,
)
from maxmargin.reports.sections import comparing, logistic, order_page, origin_page, tracing
from maxmargin.reports.sections import proof_sections as proofs
from maxmargin.solvers.answers.solution import Status

_MOST_ROWS = 60
"""Rows of a table on a page; the JSON form has more."""


def document(report: dict[str, Any]) -> Document:
    """Return the page of a two-class report."""
    sections = (
        Section(anchor="data", title="The data", blocks=_data(report)),
        Section(anchor="verdict", title="The verdict and its proof", blocks=proofs.blocks(report)),
        Section(anchor="logistic", title="What it means for a logistic regression", blocks=logistic.blocks(report)),
        Section(anchor="margin", title="The maximum margin", blocks=_margin(report)),
        Section(anchor="perceptron", title="The perceptron", blocks=comparing.perceptron(report)),
        Section(anchor="trace", title="The proof, mistake by mistake", blocks=tracing.blocks(report)),
        Section(anchor="bounds", title="Mistakes against the bounds", blocks=comparing.bounds(report)),
        Section(anchor="orders", title="Other orders of the rows", blocks=order_page.blocks(report)),
        Section(anchor="origin", title="Where the origin lies", blocks=origin_page.blocks(report)),
        Section(anchor="planes", title="Two hyperplanes", blocks=comparing.planes(report)),
        Section(anchor="soft", title="The soft margin", blocks=_soft(report)),
        Section(anchor="support", title="Support rows", blocks=_support(report)),
        Section(anchor="unknown", title="What is not known", blocks=(Points(tuple(report["unknown"])),)),
        Section(anchor="method", title="How this was made", blocks=method(report)),
    )
    data = report["data"]
    return Document(
        title=words.question(report),
        subtitle=f"{one_line(data['source'])}: {plural(data['n_samples'], 'row')}, "
        f"{plural(data['n_features'], 'feature')}; +1 is {words.name_of(data['positive'])} "
        f"({one_line(data['positive_reason'])})",
        headline=words.headline(report),
        tone=words.tone(report),
        cards=_cards(report),
        sections=tuple(section for section in sections if section.blocks),
    )


def _cards(report: dict[str, Any]) -> tuple[Card, ...]:
    run, hard, comparison = report["perceptron"], report["hard_margin"], report["comparison"]
    proof = "proven in exact arithmetic" if report["separability"]["proof"] else "no proof found"
    cards = [
        Card(label="Verdict", value=f"{words.verdict_name(report)}{words.of_kind(report)}", note=proof),
        Card(label=f"Maximum margin{words.of_kind(report)} γ*", value=_margin_value(report), note=_margin_note(hard)),
        Card(label="Mistakes", value=count(run["n_mistakes"]), note=f"in {plural(run['n_epochs'], 'epoch')}"),
        Card(label="Perceptron", value="converged" if run["converged"] else "not converged", note=_reached(report)),
    ]
    if comparison["angle_degrees"] is not None:
        angle = f"{number(comparison['angle_degrees'], 3)}°"
        cards.append(Card(label="Angle of the normals", value=angle, note=f"perceptron, {comparison['reference']}"))
    return (*cards, *_last_card(report))


def _last_card(report: dict[str, Any]) -> tuple[Card, ...]:
    """Return Novikoff's bound where it holds, else the fewest errors."""
    novikoff = words.novikoff(report)
    if novikoff is not None:
        note = f"{percent(novikoff['ratio'])} used"
        return (Card(label="Novikoff's bound on mistakes", value=upper_end(novikoff["value"]), note=note),)
    best = words.fewest_errors(report)
    if best is None:
        return ()
    note = f"soft margin, C = {number(best['C'])}"
    return (Card(label="Fewest errors seen", value=count(best["n_errors"]), note=note),)


def _margin_value(report: dict[str, Any]) -> str:
    hard = report["hard_margin"]
    if report["strictly_separable"]:
        return number(hard["lower"], 7)
    return "0" if report["strictly_separable"] is False else UNKNOWN


def _margin_note(hard: dict[str, Any]) -> str:
    if Status(hard["status"]).is_inseparable:
        return "proven"
    if not hard["relative_width"]:
        return "proven" if hard["relative_width"] == 0 else "no proven upper end"
    return f"proven to {number(hard['relative_width'], 2)} of it"


def _reached(report: dict[str, Any]) -> str:
    run, share = report["perceptron"], report["comparison"]["share_of_maximum"]
    if run["converged"] and share is not None:
        return f"reached {percent(share)} of γ*"
    return f"{plural(run['n_errors'], 'row')} in error at the end"


def _data(report: dict[str, Any]) -> tuple[Block, ...]:
    data = report["data"]
    rows = [
        ("Source", one_line(data["source"])),
        ("Rows × features", f"{count(data['n_samples'])} × {count(data['n_features'])}"),
        *((("Where they are", "outside memory: read anew in every pass"),) if "in_memory" in data else ()),
        ("Label column", one_line(data["label_name"])),
        *(
            (
                f"Class {'+1' if entry['sign'] > 0 else '−1'}",
                f"{words.name_of(entry['label'])}, {plural(entry['count'], 'row')}",
            )
            for entry in data["classes"]
        ),
        ("Hyperplanes", "w·x + b = 0, b free" if data["bias"] else "w·x = 0, through the origin"),
        ("Preparation", _preparation(data["prepare"])),
        ("R = greatest ‖x‖", number(data["radius"])),
        ("SHA-256", data["sha256"]),
    ]
    if data["prepared_sha256"]:
        rows.append(("SHA-256, prepared", data["prepared_sha256"]))
    blocks: list[Block] = [Table(caption="What was read", columns=("", ""), rows=tuple(rows))]
    if data["notes"]:
        blocks.append(Points(tuple(one_line(note, 400) for note in data["notes"])))
    return tuple(blocks)


def _preparation(how: str) -> str:
    return {
        "raw": "none",
        "center": "every column moved to mean 0",
        "standardize": "every column moved to mean 0 and scaled to standard deviation 1",
        "unit": "every row scaled to norm 1",
    }[how]


def _margin(report: dict[str, Any]) -> tuple[Block, ...]:
    hard = report["hard_margin"]
    if report["strictly_separable"] is False:
        text = (
            "The hulls of the two classes share a point, so half their distance, the maximum margin γ*, is exactly 0."
            if report["data"]["bias"]
            else "The origin lies in the hull of the y x, so the maximum margin γ* through the origin is exactly 0."
        )
        return (Paragraph(text),)
    return (Paragraph(_margin_text(report)), _margin_table(hard), solvers_table(hard["attempts"]))


def _margin_text(report: dict[str, Any]) -> str:
    hard = report["hard_margin"]
    if report["strictly_separable"] is None:
        return f"Not known; what is proven is the interval {interval(hard['lower'], hard['upper'])}."
    upper_proof = (
        "half the distance of two points, one in the convex hull of each class"
        if report["data"]["bias"]
        else "the norm of a point in the convex hull of the y x"
    )
    return (
        "The maximum margin γ* is the greatest distance that a hyperplane can keep from every row, each on its own "
        f"side. All digits of γ* = {proven(hard['lower'], words.shown_upper(hard))} are proven. The lower end of its "
        f"interval is the exact margin of one hyperplane, rounded down; the upper end is {upper_proof}, rounded up. "
        "Both were computed in exact arithmetic from the data, whatever the solvers said."
    )


def _margin_table(hard: dict[str, Any]) -> Table:
    rows = (
        ("Proven interval of γ*", interval(hard["lower"], hard["upper"])),
        ("Relative width", shown(hard, "relative_width", 3)),
        ("Status", f"{hard['status']}: {hard['advice']}"),
        ("Support rows", count(hard["n_support"])),
        ("Violation of y(w·x + b) ≥ 1", shown(hard, "primal_residual", 3)),
        ("‖w − Σ α y x‖ / ‖w‖", shown(hard, "dual_residual", 3)),
        ("Engine", hard["engine"]),
    )
    return Table(caption="The maximum margin", columns=("", ""), rows=rows)


def solvers_table(attempts: list[dict[str, Any]]) -> Table:
    """Return what each solver said of itself, unproven."""
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "Solver": lambda entry: entry["solver"],
        "Its status": lambda entry: entry["status"],
        "Margin it claims": lambda entry: number(entry["claim"], 12) if entry["claim"] else "",
        "Its message": lambda entry: one_line(entry["message"], 200),
    }
    rows = [[text(entry) for text in columns.values()] for entry in attempts]
    kept = [k for k in range(len(columns)) if k < 2 or any(row[k] for row in rows)]
    return Table(
        caption="What each solver said",
        columns=tuple(list(columns)[k] for k in kept),
        rows=tuple(tuple(row[k] for k in kept) for row in rows),
    )


def _soft(report: dict[str, Any]) -> tuple[Block, ...]:
    text = (
        "The soft margin lets rows pay for being on the wrong side: minimise ½‖w‖² + C Σ ξ with y(w·x + b) ≥ 1 − ξ. "
        "C is the price of scikit-learn and LIBSVM; with the objective ‖w‖² + c Σ ξ it is c = 2C, and with "
        "λ‖w‖² + Σ ξ it is λ = 1/(2C). The margin width is 1/‖w‖; an error is a row with y(w·x + b) ≤ 0, counted in "
        "exact arithmetic. Each objective is proven to lie in its interval, from a primal and a dual point."
    )
    if report["strictly_separable"]:
        text += " As C grows the soft margin becomes the maximum margin."
    return (Paragraph(text), FigureSlot("soft-margin"), _soft_table(report["soft_margin"]))


def _soft_table(points: list[dict[str, Any]]) -> Table:
    columns = (
        "C", "c = 2C", "λ = 1/(2C)", "Margin 1/‖w‖", "Errors", "Rows with slack", "Support rows",
        "Objective, proven digits", "Relative gap", "Status",
    )  # fmt: skip
    rows = tuple(
        (
            number(point["C"]),
            number(point["c"]),
            number(point["lambda"]),
            shown(point, "margin_width"),
            count(point["n_errors"]),
            count(point["n_slack"]),
            count(point["n_support"]),
            proven(point["lower"], point["objective"], 10),
            number(point["gap"] / point["objective"] if point["objective"] else 0.0, 2),
            point["status"],
        )
        for point in points
    )
    return Table(caption="Soft margins", columns=columns, rows=rows, numeric=frozenset(range(9)))


def _support(report: dict[str, Any]) -> tuple[Block, ...]:
    support = report["support_rows"]
    if not support:
        return ()
    total = report["hard_margin"]["n_support"]
    has_ids = any(entry["id"] is not None for entry in support)
    columns = ("Row", *(("Name",) if has_ids else ()), "Class", "Side", "Multiplier α", "y(w·x + b)")
    rows = tuple(
        (
            str(entry["source_row"]),
            *((one_line(entry["id"]),) if has_ids else ()),
            one_line(entry["label"]),
            side(entry["sign"]),
            number(entry["multiplier"]),
            number(entry["functional_margin"], 9),
        )
        for entry in support[:_MOST_ROWS]
    )
    text = (
        f"{plural(total, 'row')} of {count(report['data']['n_samples'])} hold the maximum-margin hyperplane in place: "
        "w = Σ α y x over them, and no other row matters. Rows are numbered from 0, as in the source."
    )
    note = f"The first {_MOST_ROWS} of {count(total)} rows." if total > _MOST_ROWS else ""
    last = len(columns) - 1
    table = Table(caption="Support rows", columns=columns, rows=rows, numeric=frozenset((last - 1, last)), note=note)
    return (Paragraph(text), table)


def side(sign: int) -> str:
    """Return a sign as it is written in tables."""
    return "+1" if sign > 0 else "−1"


def method(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return settings and versions."""
    settings = tuple((name, _setting(value)) for name, value in report["settings"].items())
    versions = tuple(report["versions"].items())
    text = (
        "Separability, margins, their intervals and the counts of errors are checked in exact arithmetic on the "
        "numbers as stored; a solver's word is a hint and never an answer. The same input gives the same page."
    )
    return (
        Paragraph(text),
        Table(caption="Settings", columns=("Setting", "Value"), rows=settings),
        Table(caption="Versions", columns=("Package", "Version"), rows=versions),
    )


def _setting(value: Any) -> str:
    if value is None:
        return "default"
    if isinstance(value, list):
        return ", ".join(number(entry) for entry in value)
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
