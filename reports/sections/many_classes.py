"""The report on many classes: as a plain dict, and as a document."""

from typing import Any

import numpy as np

from maxmargin.reports.document import Block, Card, Document, FigureSlot, Paragraph, Section, Table, facts
from maxmargin.reports.phrasing import length, name_of, of_kind, shown_upper, tone, verdict_name
from maxmargin.reports.sections import separability_section
from maxmargin.reports.sections.logistic import of_answer
from maxmargin.reports.sections.perceptron_section import run_fields
from maxmargin.reports.sections.separability_section import rows_table, shown_share
from maxmargin.reports.sections.shared import (
    Columns,
    chosen,
    class_limitations,
    describe,
    last_sections,
    left_out,
    name_columns,
    notes,
    size_of,
    summary_of,
    table_of,
    what_was_read,
)
from maxmargin.reports.study.class_study import ClassStudy, Contest
from maxmargin.solvers.answers.forms import without_intercepts
from maxmargin.solvers.proof.margins import n_errors
from maxmargin.text.number_formats import (
    UNKNOWN,
    count,
    number,
    one_line,
    percent,
    plural,
    proven,
    upper_end,
)

_MOST_PAIRS = 300
_MOST_WITNESSES = 30

_OF_VERDICT = ("verdict", "strictly_separable", "proof", "reason", "touching_rows", "witness_rows")


def summarize(study: ClassStudy) -> dict[str, Any]:
    """Return the report as dicts, lists, texts and finite numbers; `verdict` is the multinomial one."""
    dataset, settings = study.dataset, study.settings
    classes = [{"label": label, "count": np.count_nonzero(dataset.labels == label)} for label in dataset.classes]
    parts = {
        "data": {**describe(dataset), "classes": classes, "bias": settings.bias, "prepare": settings.prepare},
        "one_vs_rest": [_contest(contest) for contest in study.one_vs_rest],
        "pairs": [_contest(contest) for contest in study.pairs],
        "multinomial": separability_section.fields(dataset, study.multinomial, None, settings),
    }
    report = summary_of("classes", study.multinomial, settings, parts)
    return {**report, "unknown": class_limitations(report)}


def _contest(contest: Contest) -> dict[str, Any]:
    hard, run = contest.hard, contest.run
    share = run.margin / hard.upper if hard.lower > 0 else None
    return {
        "positive": contest.positive,
        "positive_reason": contest.positive_reason,
        "negative": contest.negative,
        "n_samples": contest.problem.n_samples,
        **chosen(contest.separability.fields(with_columns=False), _OF_VERDICT),
        **chosen(hard.fields(), ("status", "margin", "lower", "upper")),
        "n_support": len(hard.support),
        **run_fields(run),
        "achieved_margin": run.margin,
        "share_of_maximum": share,
        "n_errors": n_errors(contest.problem, run.w, run.b),
        "novikoff": contest.novikoff,
        "sha256": contest.problem.sha256,
    }


def document(report: dict[str, Any]) -> Document:
    """Return the page of a report on many classes."""
    data = report["data"]
    n_classes = plural(len(data["classes"]), "class", "classes")
    sections = (
        Section(anchor="data", title="The data", blocks=_data(report)),
        Section(anchor="rest", title="Each class against the rest", blocks=_one_vs_rest(report)),
        Section(anchor="pairs", title="Each pair of classes", blocks=_pairs(report)),
        Section(anchor="multinomial", title="All classes at once", blocks=_multinomial(report)),
        *last_sections(report),
    )
    return Document(
        title=f"{one_line(data['source'])}: {n_classes}",
        subtitle=f"{size_of(data)}, {n_classes}",
        headline=_headline(report),
        tone=tone(report),
        cards=_cards(report),
        sections=sections,
    )


def _separable(contests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [contest for contest in contests if contest["strictly_separable"]]


def _headline(report: dict[str, Any]) -> tuple[str, ...]:
    rest, pairs = report["one_vs_rest"], report["pairs"]
    classes = f"Of {plural(len(rest), 'class', 'classes')}, {count(len(_separable(rest)))}"
    verb = "is" if len(_separable(rest)) == 1 else "are"
    kind = of_kind(report)
    answer = f"{classes} {verb} linearly separable{kind} from the rest, and {count(len(_separable(pairs)))} of "
    answer += f"{plural(len(pairs), 'pair')} {'is' if len(_separable(pairs)) == 1 else 'are'} separable{kind}."
    n_open = sum(contest["strictly_separable"] is None for contest in (*rest, *pairs)) + left_out(report)
    ending = "Every answer is proven." if not n_open else f"{plural(n_open, 'question')} could not be decided."
    return (answer, f"{ending} {_multinomial_words(report)}")


def _multinomial_words(report: dict[str, Any]) -> str:
    without = without_intercepts(report["data"]["bias"])
    if report["verdict"] == "undecided":
        return f"Whether all classes at once (multinomial) are separable{without} is not decided."
    verb = "overlap" if report["verdict"] == "overlap" else f"are {report['verdict']}"
    return f"All classes at once (multinomial) {verb}{without}."


def _cards(report: dict[str, Any]) -> tuple[Card, ...]:
    rest, pairs = report["one_vs_rest"], report["pairs"]
    found = _separable([*rest, *pairs])
    smallest = min(found, key=lambda contest: float(contest["lower"]), default=None)
    cards = [
        Card(label="Separable from the rest", value=f"{len(_separable(rest))} of {len(rest)}", note="classes"),
        Card(label="Separable from each other", value=f"{len(_separable(pairs))} of {len(pairs)}", note="pairs"),
        Card(
            label="All at once",
            value=verdict_name(report),
            note=f"multinomial{without_intercepts(report['data']['bias'])}",
        ),
    ]
    if smallest is not None:
        note = f"{name_of(smallest['positive'])} against {name_of(smallest['negative'])}"
        cards.append(Card(label="Smallest positive γ*", value=number(smallest["lower"]), note=note))
    return tuple(cards)


def _data(report: dict[str, Any]) -> tuple[Block, ...]:
    data = report["data"]
    rows = tuple((one_line(entry["label"]), count(entry["count"])) for entry in data["classes"])
    classes = Table("The classes", ("Class", "Rows"), rows, numeric=(1,))
    return (what_was_read(data), classes, *notes(data))


def _one_vs_rest(report: dict[str, Any]) -> tuple[Block, ...]:
    kind = of_kind(report)
    text = (
        f"Each class is +1 and all the others are −1. A separable verdict is a hyperplane{kind} that was checked in "
        f"exact arithmetic; classes are quasi-separable if a hyperplane{kind} has no row on its wrong side, but every "
        f"such hyperplane touches rows; classes overlap if every hyperplane{kind} has a row on its wrong side, unless "
        "it contains all rows. The verdicts and the digits of γ* are proven. The mistakes of the perceptron are "
        "compared with R²/g², Novikoff's bound in the space of its run."
    )
    return (Paragraph(text), FigureSlot("classes"), _table("Each class against the rest", report["one_vs_rest"]))


def _pairs(report: dict[str, Any]) -> tuple[Block, ...]:
    text = (
        f"Only the rows of the two classes are used. A class that is not separable{of_kind(report)} from the rest may "
        "still be separable from every other class alone."
    )
    return (Paragraph(text), _table("Each pair of classes", report["pairs"]))


_CONTEST: Columns = {
    "+1": lambda contest: one_line(contest["positive"]),
    "−1": lambda contest: one_line(contest["negative"]),
    "Verdict": verdict_name,
    "γ*, proven digits": lambda contest: _margin(contest),
    "Mistakes": lambda contest: count(contest["n_mistakes"]),
    "Epochs": lambda contest: count(contest["n_epochs"]),
    "Converged": lambda contest: "yes" if contest["converged"] else "no",
    "% of γ*": lambda contest: _share(contest["share_of_maximum"]),
    "R²/g²": lambda contest: upper_end(contest["novikoff"]),
    "M/bound": lambda contest: _ratio(contest["n_mistakes"], contest["novikoff"]),
}


def _table(caption: str, contests: list[dict[str, Any]]) -> Table:
    return table_of(caption, contests, _CONTEST, numeric=(4, 5, 7, 8, 9), most=_MOST_PAIRS)


def _margin(contest: dict[str, Any]) -> str:
    return "0" if contest["strictly_separable"] is False else proven(contest["lower"], shown_upper(contest))


def _share(share: float | None) -> str:
    return UNKNOWN if share is None or share <= 0 else percent(share).removesuffix(" %")


def _ratio(n_mistakes: int, bound: float | None) -> str:
    return UNKNOWN if bound is None else number(n_mistakes / bound, 3)


def _multinomial(report: dict[str, Any]) -> tuple[Block, ...]:
    answer, classes = report["multinomial"], report["data"]["classes"]
    without = without_intercepts(report["data"]["bias"])
    text = (
        f"{_multinomial_words(report)} The question is whether linear scores{without}, one for each class, can give "
        "every row its highest score for its own class: one inequality for each row and each other class. Separability "
        "of each class from the rest is a stronger condition, separability of every pair a weaker one: classes at 1, 2 "
        "and 3 on a line are separable all at once with intercepts, though the middle one is not separable from the "
        "rest."
    )
    if answer["verdict"] == "undecided":
        return (Paragraph(text), Paragraph(f"Undecided: {answer['reason']}."))
    reference = one_line(classes[0]["label"])
    with_or_without = without or " with intercepts"
    model = f"A multinomial logistic regression{with_or_without} of the classes on these columns, with {reference} as "
    model += "the reference,"
    return (
        Paragraph(text),
        Paragraph(_proof(answer)),
        _facts(report),
        *_touching_tables(answer),
        *of_answer(answer, model, f"of the class against {reference}"),
    )


def _proof(answer: dict[str, Any]) -> str:
    return (
        f"Proven in exact arithmetic: {answer['reason']}. The JSON form of this report holds the proof as integers"
        f"{', except for numbers that are too long' if answer['certificate_cut'] else ''}."
    )


def _facts(report: dict[str, Any]) -> Table:
    answer, n_rows = report["multinomial"], report["data"]["n_samples"]
    n_touching = length(answer, "touching_rows")
    rows = [
        ("Verdict", verdict_name(answer)),
        ("Inequalities", f"{count(answer['n_inequalities'])}, {count(answer['n_strict'])} of them strict at once"),
        ("Rows with all inequalities strict", f"{count(n_rows - n_touching)} of {count(n_rows)}"),
        ("Rows with an inequality that is always an equality", count(n_touching)),
    ]
    if answer["dimension"] is not None:
        rows.append(("Dimension of the cone of separating scores", count(answer["dimension"])))
    return facts("All classes at once", (*rows, ("Engine", answer["engine"])))


def _touching_tables(answer: dict[str, Any]) -> tuple[Table, ...]:
    """Return some touching rows, and the inequalities that exclude strict separation."""
    tables = []
    if answer["verdict"] == "quasi-separable":
        tables.append(rows_table(answer))
    if answer["witness"] is not None:
        tables.append(_witness(answer["witness"]["rows"]))
    return tuple(tables)


def _witness(entries: list[dict[str, Any]]) -> Table:
    columns: Columns = {
        **name_columns(entries),
        "Against": lambda entry: one_line(entry["against"]),
        "Share": shown_share,
    }
    caption = "The witness: inequalities that balance, so that not all of them can be strict"
    return table_of(caption, entries, columns, numeric=(len(columns) - 1,), most=_MOST_WITNESSES)
