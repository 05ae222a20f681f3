"""The report on two classes: as a plain dict, and as a document whose sections read that dict and nothing else."""

from dataclasses import replace
from typing import Any

from maxmargin.reports import phrasing
from maxmargin.reports.document import (
    Block,
    Card,
    DetailsBlock,
    Document,
    FigureSlot,
    Paragraph,
    Points,
    Section,
    TableBlock,
    facts,
)
from maxmargin.reports.sections import (
    logistic,
    orders_section,
    proof_section,
    separability_section,
    shared,
    side_by_side_section,
    why_so_many,
)
from maxmargin.reports.sections import perceptron_section as perceptron
from maxmargin.reports.sections.answer_sentences import answer_sentences
from maxmargin.reports.sections.ruler_contents import rulers_of
from maxmargin.reports.sections.shared import Columns
from maxmargin.reports.study.compared_methods import compared_fields
from maxmargin.reports.study.summary_fields import describe, page_proof, summary_of
from maxmargin.reports.study.two_class_parts import PARTS
from maxmargin.reports.study.two_class_study import TwoClassStudy
from maxmargin.reports.templates import wording
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.text.number_formats import (
    UNKNOWN,
    count,
    field_text,
    floor_of,
    one_line,
    percent,
    plural,
    proven,
    rounded,
    shown_interval,
    side,
)

# Where links to the support rows lead.
SUPPORT_ROWS = "support-rows"

# Rows of a table on a page; the JSON form has more.
_MOST_ROWS = 10

# The fields of the parts in the order of the JSON form.
_FIELDS = (
    "data", "separability", "hard_margin", "perceptron", "trace", "comparison", "bounds", "translation", "standardized",
    "orders",
    "soft_margin", "support_rows", "fewest_errors", "compared",
)  # fmt: skip

# Relative difference from the maximum margin below which a soft margin is it, up to rounding.
_SAME_MARGIN = 1e-6


def summarize(study: TwoClassStudy) -> dict[str, Any]:
    """Return the report of a two-class study as dicts, lists, texts and finite numbers."""
    parts = {"data": _data_fields(study), "compared": compared_fields(study)}
    for part in PARTS:
        parts |= part.fields(study)
    ordered = {name: parts[name] for name in sorted(parts, key=_FIELDS.index)}
    report = summary_of("two-class", study.dataset, study.separability, study.settings, ordered)
    report["certificate"], report["certificate_reason"] = page_proof(
        study.proof, study.separability.reason, study.settings.sizes.page_proof_characters
    )
    report["seconds"] = dict(study.seconds)
    return {**report, "unknown": shared.limitations(report)}


def _data_fields(study: TwoClassStudy) -> dict[str, Any]:
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


def document(report: dict[str, Any]) -> Document:
    """Return the page of a two-class report, in the order of a reader's questions."""
    sections = (
        Section(anchor="comparison", title="Side by side", blocks=side_by_side_section.blocks(report)),
        Section(anchor="see", title="See it", blocks=(FigureSlot("rows"),)),
        Section(anchor="why", title=why_so_many.title(report), blocks=why_so_many.blocks(report)),
        Section(anchor="logistic", title="For a logistic regression", blocks=logistic.blocks(report)),
        Section(anchor="proof", title="The proof", blocks=proof_section.blocks(report)),
        Section(anchor="details", title="Details", blocks=_details(report)),
        Section(anchor="unknown", title="What this does not say", blocks=(Points(tuple(report["unknown"])),)),
    )
    data = report["data"]
    return Document(
        title=phrasing.question(report),
        subtitle=_subtitle(data),
        **shared.set_by_the_author(report["settings"]),
        headline=(phrasing.headline(report),),
        lead=answer_sentences(report),
        opening=tuple(FigureSlot(ruler.key) for ruler in rulers_of(report)),
        tone=phrasing.tone(report),
        cards=_cards(report),
        sections=tuple(section for section in sections if section.blocks),
    )


def _subtitle(data: dict[str, Any]) -> str:
    """Return the source with its size, and the classes with theirs; the first is +1."""
    classes = " against ".join(
        f"{phrasing.name_of(entry['label'])} ({count(entry['count'])})" for entry in data["classes"]
    )
    shape = f"{plural(data['n_samples'], 'row')} × {plural(data['n_features'], 'feature')}"
    return f"{shared.source_name(data)}: {shape} · {shared.label_of(data)}{classes}"


def _details(report: dict[str, Any]) -> tuple[Block, ...]:
    parts = (
        ("The data as read", _data(report)),
        ("The run in full", perceptron.blocks(report)),
        ("The mistakes by order of the rows", orders_section.order_blocks(report)),
        ("The maximum margin, and what each solver claimed", _margin(report)),
        ("The soft margins", _soft(report)),
        ("The support rows", _support(report)),
        ("The normals of both hyperplanes", perceptron.normals(report)),
        ("The verdict, and how it was found", separability_section.blocks(report)),
        ("Settings and versions", shared.method(report)),
    )
    anchors = {"The support rows": SUPPORT_ROWS}
    printed = ("The data as read", "Settings and versions")
    return tuple(
        DetailsBlock(title, blocks, anchors.get(title, ""), is_printed=title in printed)
        for title, blocks in parts
        if blocks
    )


def _cards(report: dict[str, Any]) -> tuple[Card, ...]:
    run, hard, comparison = report["perceptron"], report["hard_margin"], report["comparison"]
    kind = phrasing.of_kind(report)
    proof = "proven in exact arithmetic" if report["separability"]["proof"] else "no proof found"
    positive = Card(
        label="+1 is", value=phrasing.name_of(report["data"]["positive"]), note=report["data"]["positive_reason"] or ""
    )
    cards = [
        positive,
        Card(label="Verdict", value=f"{phrasing.verdict_name(report)}{kind}", note=proof),
        Card(label=f"Maximum margin{kind} γ*", value=_margin_value(report), note=_margin_note(hard)),
        Card(label="Mistakes", value=count(run["n_mistakes"]), note=_reached(report)),
    ]
    if comparison["angle_degrees"] is not None:
        angle = phrasing.angle_text(comparison) or f"~{rounded(comparison['angle_degrees'], 3)}°"
        cards.append(Card(label="Angle of the normals", value=angle, note=f"perceptron, {comparison['reference']}"))
    return (*cards, *_last_card(report))


def _last_card(report: dict[str, Any]) -> tuple[Card, ...]:
    """Return Novikoff's bound where it holds, else the fewest errors."""
    novikoff, best = phrasing.novikoff(report), report["fewest_errors"]
    if novikoff is not None:
        note = f"{percent(novikoff['ratio'])} used"
        return (Card(label="Novikoff's bound on mistakes", value=floor_of(novikoff["value"]), note=note),)
    if best["reason"] is not None:
        return ()
    return (Card(label="Fewest errors possible", value=shown_interval(best["lower"], best["upper"]), note="proven"),)


def _margin_value(report: dict[str, Any]) -> str:
    hard = report["hard_margin"]
    if report["strictly_separable"]:
        return rounded(hard["lower"], 7)
    return "0" if report["strictly_separable"] is False else UNKNOWN


def _margin_note(hard: dict[str, Any]) -> str:
    if Status(hard["status"]).is_inseparable:
        return "proven"
    if not hard["relative_width"]:
        return "proven" if hard["relative_width"] == 0 else "no proven upper end"
    return f"proven, relative width {rounded(hard['relative_width'], 2)}"


def _reached(report: dict[str, Any]) -> str:
    run, share = report["perceptron"], report["comparison"]["share_of_maximum"]
    ended = f"{plural(run['n_epochs'], 'epoch')}, {'converged' if run['converged'] else 'not converged'}"
    if run["converged"] and share is not None and share > 0:
        return f"{ended}, reached {percent(share)} of γ*"
    return f"{ended}, {plural(run['n_errors'], 'row')} in error at the end"


def _data(report: dict[str, Any]) -> tuple[Block, ...]:
    data = report["data"]
    classes = (
        (f"Class {side(entry['sign'])}", f"{phrasing.name_of(entry['label'])}, {plural(entry['count'], 'row')}")
        for entry in data["classes"]
    )
    numbers = [("Greatest ‖x‖", rounded(data["radius"])), ("SHA-256 of the numbers", data["sha256"])]
    if data["prepared_sha256"]:
        numbers.append(("SHA-256 of the prepared numbers", data["prepared_sha256"]))
    return (shared.what_was_read(data, classes=classes, numbers=numbers), *shared.as_read(data), *shared.notes(data))


def _margin(report: dict[str, Any]) -> tuple[Block, ...]:
    hard = report["hard_margin"]
    if report["strictly_separable"] is False:
        return ()
    return (Paragraph(_margin_text(report)), _margin_table(hard), _solvers_table(hard))


def _margin_text(report: dict[str, Any]) -> str:
    hard = report["hard_margin"]
    if report["strictly_separable"] is None:
        return f"The maximum margin γ* is not known; it is proven to lie in {shared.margin_interval(hard)}."
    upper = "the norm of a point in the convex hull of the y x"
    if report["data"]["bias"]:
        upper = "half the distance between two points, one in the convex hull of each class"
    return wording("maximum_margin", digits=shared.margin_digits(hard), upper=upper)


def _margin_table(hard: dict[str, Any]) -> TableBlock:
    rows = (
        ("Proven interval of γ*", shared.margin_interval(hard)),
        ("Relative width", field_text(hard, "relative_width", 3)),
        ("Status", f"{hard['status']}: {hard['advice']}"),
        ("Support rows", f"~{count(hard['n_support'])}"),
        ("Violation of y(w·x + b) ≥ 1", field_text(hard, "primal_residual", 3)),
        ("‖w − Σ α y x‖ / ‖w‖", field_text(hard, "dual_residual", 3)),
        ("Engine", hard["engine"]),
    )
    return facts("The maximum margin", rows)


def _solvers_table(hard: dict[str, Any]) -> TableBlock:
    """Return what each solver reported, which proves nothing; empty columns are left out."""
    columns: Columns = {
        "Solver": lambda entry: entry["solver"],
        "Reported status": lambda entry: entry["status"],
        "Reported margin": lambda entry: rounded(entry["claim"], 17) if entry["claim"] else "",
        "Against the proven interval": lambda entry: _against(entry["claim"], hard) if entry["claim"] else "",
        "Message": lambda entry: one_line(entry["message"], 200),
    }
    always = ("Solver", "Reported status")
    attempts = hard["attempts"]
    kept = {name: text for name, text in columns.items() if name in always or any(map(text, attempts))}
    return shared.table_of("Solver runs", attempts, kept)


def _against(claim: float, hard: dict[str, Any]) -> str:
    """Return how far a reported margin is from the proven interval."""
    lower, upper = hard["lower"], phrasing.shown_upper(hard)
    if lower <= claim <= upper:
        return "inside"
    end, where = (lower, "below") if claim < lower else (upper, "above")
    return f"{rounded(abs(claim / end - 1), 2)} of it {where}" if end else where


def _soft(report: dict[str, Any]) -> tuple[Block, ...]:
    text = wording("soft_margins")
    points = _up_to_the_maximum(report)
    if len(points) < len(report["soft_margin"]):
        text += " From the last C of the table on, the soft margin is the maximum margin."
    return (Paragraph(text), shared.table_of("Soft margins", points, _SOFT_MARGIN, numeric=range(7)))


def _up_to_the_maximum(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the soft margins up to the smallest C whose width is the maximum margin, up to rounding."""
    points = sorted(report["soft_margin"], key=lambda point: float(point["C"]))
    best = report["hard_margin"]["lower"]
    if not report["strictly_separable"] or not best:
        return points
    widths = (point["margin_width"] for point in points)
    is_there = [width is not None and abs(width / best - 1) < _SAME_MARGIN for width in widths]
    return points[: is_there.index(True) + 1] if True in is_there else points


_SOFT_MARGIN: Columns = {
    "C": lambda point: rounded(point["C"]),
    "Width 1/‖w‖": lambda point: field_text(point, "margin_width", 4),
    "Errors": lambda point: count(point["n_errors"]),
    "Rows with slack": lambda point: shown_interval(point["slack_count_lower"], point["slack_count_upper"]),
    "Support rows": lambda point: count(point["n_support"]),
    "Objective, proven digits": lambda point: proven(point["lower"], point["objective"], 10),
    "Status": lambda point: point["status"],
}


def _support(report: dict[str, Any]) -> tuple[Block, ...]:
    support = report["support_rows"]
    if not support:
        return ()
    total = report["hard_margin"]["n_support"]
    text = wording("support_rows", count=count(total), rows=plural(report["data"]["n_samples"], "row"))
    names, numbers = shared.name_columns(support), ("multiplier", "functional_margin")
    columns: Columns = {
        **names,
        "Side": lambda entry: side(entry["sign"]),
        "Multiplier α": lambda entry: rounded(entry["multiplier"], 4),
        "y(w·x + b)": lambda entry: rounded(entry["functional_margin"], 4),
    }
    numeric = (len(columns) - 2, len(columns) - 1)
    largest = sorted(support, key=lambda entry: -(entry["multiplier"] or 0.0))
    table = shared.table_of("Support rows", largest, columns, numeric=numeric, most=_MOST_ROWS)
    if total > _MOST_ROWS:
        note = f"The {_MOST_ROWS} rows of {count(total)} with the largest multipliers."
        cells = ((*(text(e) for text in names.values()), e["sign"], *(e[name] for name in numbers)) for e in support)
        table = replace(table, note=note, whole=tuple(cells))
    return (Paragraph(text), table)
