"""The report on many classes: as a plain dict, and as a document."""

import math
import shlex
from collections.abc import Callable
from typing import Any

import numpy as np

from maxmargin.data.dataset import REST
from maxmargin.reports.document import (
    Block,
    Card,
    DetailsBlock,
    Document,
    Emphasis,
    FigureSlot,
    Paragraph,
    Points,
    ProofLine,
    ProofSlot,
    Section,
    TableBlock,
    Text,
    facts,
)
from maxmargin.reports.phrasing import length, name_of, novikoff_text, of_kind, tone, verdict_name
from maxmargin.reports.sections import class_contents, shared
from maxmargin.reports.sections.answer_sentences import joined
from maxmargin.reports.sections.logistic import of_answer
from maxmargin.reports.sections.proof_section import claims
from maxmargin.reports.sections.separability_section import rows_table, shown_share
from maxmargin.reports.sections.shared import Columns
from maxmargin.reports.study.class_study import ClassStudy, Contest
from maxmargin.reports.study.parts.run_part import run_fields
from maxmargin.reports.study.parts.verdict_part import answer_fields
from maxmargin.reports.study.summary_fields import chosen, describe, page_proof, plain, summary_of
from maxmargin.reports.templates import wording
from maxmargin.solvers.answers.answer_text import without_intercepts
from maxmargin.solvers.proof.margins import n_errors
from maxmargin.text.number_formats import UNKNOWN, count, listed, one_line, percent, plural, rounded

_MOST_PAIRS = 300
_MOST_WITNESSES = 30
_MOST_NAMED = 6
# Number of the hardest questions whose proofs are in a page.
_MOST_PROOFS = 3

_OF_VERDICT = ("verdict", "strictly_separable", "proof", "reason", "touching_rows", "witness_rows")


def summarize(study: ClassStudy) -> dict[str, Any]:
    """Return the report as dicts, lists, texts and finite numbers; `verdict` is the multinomial one."""
    dataset, settings = study.dataset, study.settings
    classes = [{"label": label, "count": np.count_nonzero(dataset.labels == label)} for label in dataset.classes]
    data = {**describe(dataset), "classes": classes, "bias": settings.bias, "prepare": settings.prepare}
    parts = {
        "data": {**data, "sha256": study.problem.sha256},
        "one_vs_rest": [_contest(contest) for contest in study.one_vs_rest],
        "pairs": [_contest(contest) for contest in study.pairs],
        "multinomial": answer_fields(dataset, study.multinomial, None, settings),
    }
    report = summary_of("classes", dataset, study.multinomial, settings, parts)
    report["proofs"] = _proofs(study)
    return {**report, "unknown": shared.class_limitations(report)}


def _contest(contest: Contest) -> dict[str, Any]:
    hard, run = contest.hard, contest.run
    share = run.margin / hard.upper if hard.lower > 0 else None
    return {
        **{name: getattr(contest, name) for name in ("positive", "positive_reason", "negative")},
        "n_samples": contest.problem.n_samples,
        **chosen(contest.separability.fields(with_columns=False), _OF_VERDICT),
        **chosen(hard.fields(), ("status", "margin", "lower", "upper")),
        "n_support": len(hard.support),
        **run_fields(run),
        "achieved_margin": run.margin,
        "margin_upper": run.margin_upper,
        "share_of_maximum": share,
        "n_errors": n_errors(contest.problem, run.w, run.b),
        "novikoff": contest.novikoff,
        "sha256": contest.problem.sha256,
    }


def _proofs(study: ClassStudy) -> list[dict[str, Any]]:
    """Return the proofs of a page, with the codes of their classes: of all at once, and of the hardest questions."""
    longest = study.settings.sizes.page_proof_characters
    whole = study.multinomial
    proof, reason = page_proof(whole.certificate or whole.witness, whole.reason, longest)
    found = [{"positive": None, "negative": None, "part": None, "certificate": proof, "reason": reason}]
    for contest in study.hardest[:_MOST_PROOFS]:
        proof, reason = page_proof(contest.proof, contest.separability.reason, longest)
        positive, negative = study.part_of(contest)
        labels = {"positive": plain(contest.positive), "negative": plain(contest.negative)}
        part = {"positive": positive, "negative": list(negative)}
        ends = plain({"lower": contest.hard.lower, "upper": contest.hard.upper})
        found.append({**labels, **ends, "part": part, "certificate": proof, "reason": reason})
    return found


def document(report: dict[str, Any]) -> Document:
    """Return the page of a report on many classes, in the order of a reader's questions."""
    data = report["data"]
    n_classes = plural(len(data["classes"]), "class", "classes")
    sections = (
        Section(anchor="questions", title="Each class and each pair", blocks=_questions(report)),
        Section(anchor="logistic", title="For a logistic regression", blocks=_multinomial(report)),
        Section(anchor="proof", title="The proofs", blocks=_proof_blocks(report)),
        Section(anchor="details", title="Details", blocks=_details(report)),
        Section(anchor="unknown", title="What this does not say", blocks=(Points(tuple(report["unknown"])),)),
    )
    return Document(
        title=f"{shared.source_name(data)}: {n_classes}",
        subtitle=_subtitle(data),
        **shared.set_by_the_author(report["settings"]),
        headline=(_headline(report),),
        lead=class_answer_sentences(report),
        opening=(
            FigureSlot("matrix", class_contents.matrix_table(report)),
            FigureSlot("class-rulers", class_contents.rulers_table(report) if report["one_vs_rest"] else None),
        ),
        tone=tone(report),
        cards=_cards(report),
        sections=sections,
    )


def _subtitle(data: dict[str, Any]) -> str:
    """Return the source with its size, and the classes with theirs."""
    shape = f"{plural(data['n_samples'], 'row')} × {plural(data['n_features'], 'feature')}"
    classes = [f"{_class_name(entry['label'])} ({count(entry['count'])})" for entry in data["classes"]]
    more = len(classes) - _MOST_NAMED
    shown = listed([*classes[:_MOST_NAMED], f"{count(more)} more classes"] if more > 1 else classes)
    return f"{shared.source_name(data)}: {shape} · {shown}"


def _separable(contests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [contest for contest in contests if contest["strictly_separable"]]


def _headline(report: dict[str, Any]) -> str:
    """Return how many of the classes are separable from the rest, as far as it is proven."""
    total, rest = len(report["data"]["classes"]), report["one_vs_rest"]
    found = len(_separable(rest))
    n_open = total - found - sum(contest["strictly_separable"] is False for contest in rest)
    classes = plural(total, "class", "classes")
    subject = {total: f"Each of the {classes} is", 0: f"None of the {classes} is", 1: f"1 of the {classes} is"}.get(
        found, f"{count(found)} of the {classes} are"
    )
    if n_open and not found:
        subject = f"None of the {classes} is proven to be"
    ending = f"; {count(n_open)} {'is' if n_open == 1 else 'are'} undecided" if n_open else ""
    return f"{subject} linearly separable{of_kind(report)} from the rest{ending}."


def class_answer_sentences(report: dict[str, Any]) -> Text:
    """Return the verdict on all classes at once, the pairs, and the perceptron beside the maximum margins."""
    rest, pairs, n_pairs = report["one_vs_rest"], report["pairs"], math.comb(len(report["data"]["classes"]), 2)
    found = len(_separable(pairs))
    of_pairs = f"{count(found)} of {plural(n_pairs, 'pair')}"
    verb = "is" if found == 1 else "are"
    if len(pairs) < n_pairs or any(contest["strictly_separable"] is None for contest in pairs):
        verb += " proven to be"
    n_open = sum(contest["strictly_separable"] is None for contest in (*rest, *pairs)) + shared.left_out(report)
    ending = "Every answer is proven." if not n_open else f"{plural(n_open, 'question')} could not be decided."
    return joined(
        _multinomial_text(report), (" ", Emphasis(of_pairs, "truth")), f" {verb} separable{of_kind(report)}. {ending} ",
        _compared([*rest, *pairs]),
    )  # fmt: skip


def _multinomial_text(report: dict[str, Any]) -> Text:
    without = without_intercepts(report["data"]["bias"])
    if report["verdict"] == "undecided":
        return f"Whether all classes at once (multinomial) are separable{without} is not decided."
    verb = "" if report["verdict"] == "overlap" else "are "
    return (f"All classes at once (multinomial) {verb}", Emphasis(report["verdict"], "truth"), f"{without}.")


def _compared(contests: list[dict[str, Any]]) -> Text:
    """Return the mistakes against Novikoff's bound, and the share of the maximum margin that is kept."""
    separable = _separable(contests)
    if not separable:
        return "No question is proven separable, so no bound on the mistakes of the perceptron holds."
    ended = [c for c in separable if c["converged"] and c["share_of_maximum"] and c["share_of_maximum"] > 0]
    questions = plural(len(separable), "separable question")
    if not ended:
        return f"The perceptron converged on none of the {questions} within its limits."
    ratios = [ratio for c in ended if (ratio := class_contents.ratio_of(c)) is not None]
    made = [c["n_mistakes"] for c in ended]
    mistakes = f"{_range(made, count)} {'mistake' if max(made) == 1 else 'mistakes'}"
    shares = _range([c["share_of_maximum"] for c in ended], percent)
    on = "the only separable question" if len(separable) == 1 else f"the {questions}"
    if len(ended) < len(separable):
        on = f"{count(len(ended))} of {on}"
    bound: Text = (", ", Emphasis(_range(ratios, percent), "bound"), " of what theory allows") if ratios else ""
    keep = "hyperplanes keep" if len(ended) > 1 else "hyperplane keeps"
    return joined(
        f"On {on} the perceptron converged after ", (Emphasis(mistakes, "perceptron"),), bound, f"; its {keep} ",
        (Emphasis(shares, "perceptron"),), " of γ*.",
    )  # fmt: skip


def _range(values: list[Any], say: Callable[[Any], str]) -> str:
    """Return the least and the greatest number, once if they look alike."""
    return " to ".join(dict.fromkeys((say(min(values)), say(max(values)))))


def _cards(report: dict[str, Any]) -> tuple[Card, ...]:
    rest, pairs = report["one_vs_rest"], report["pairs"]
    n_classes, without = len(report["data"]["classes"]), without_intercepts(report["data"]["bias"])
    n_pairs = math.comb(n_classes, 2)
    smallest = min(_separable([*rest, *pairs]), key=lambda contest: float(contest["lower"]), default=None)
    cards = [
        Card(label="Separable from the rest", value=f"{len(_separable(rest))} of {n_classes}", note="classes"),
        Card(label="Separable from each other", value=f"{len(_separable(pairs))} of {n_pairs}", note="pairs"),
        Card(label="All at once", value=verdict_name(report), note=f"multinomial{without}"),
    ]
    if smallest is not None:
        negative = "the rest" if smallest in rest else _class_name(smallest["negative"])
        note = f"{_class_name(smallest['positive'])} against {negative}"
        cards.append(Card(label="Smallest positive γ*", value=rounded(smallest["lower"]), note=note))
    return tuple(cards)


def _data(report: dict[str, Any]) -> tuple[Block, ...]:
    data = report["data"]
    rows = tuple((one_line(entry["label"]), count(entry["count"])) for entry in data["classes"])
    classes = TableBlock("The classes", ("Class", "Rows"), rows, numeric=(1,))
    return (shared.what_was_read(data), classes, *shared.as_read(data), *shared.notes(data))


def _questions(report: dict[str, Any]) -> tuple[Block, ...]:
    text = wording("class_questions", kind=of_kind(report))
    parts = (("Each class against the rest", "rest", "one_vs_rest"), ("Each pair of classes", "pairs", "pairs"))
    how: dict[str, Any] = {"numeric": (4, 5, 7, 8, 9), "most": _MOST_PAIRS}
    tables = (
        shared.table_of(title, report[part], _CONTEST, key=key, **how) for title, key, part in parts if report[part]
    )
    return (Paragraph(text), *(DetailsBlock(table.caption, (table,)) for table in tables))


_CONTEST: Columns = {
    "+1": lambda contest: one_line(contest["positive"]),
    "−1": lambda contest: one_line(contest["negative"]),
    "Verdict": verdict_name,
    "γ*, proven digits": lambda of: "0" if of["strictly_separable"] is False else shared.margin_digits(of),
    "Mistakes": lambda contest: count(contest["n_mistakes"]),
    "Epochs": lambda contest: count(contest["n_epochs"]),
    "Converged": lambda contest: "yes" if contest["converged"] else "no",
    "% of γ*": lambda contest: _share(contest["share_of_maximum"]),
    "R²/g²": lambda contest: novikoff_text(contest, "novikoff"),
    "M/bound": lambda of: UNKNOWN if of["novikoff"] is None else rounded(of["n_mistakes"] / of["novikoff"], 3),
}


def _share(share: float | None) -> str:
    return UNKNOWN if share is None or share <= 0 else percent(share).removesuffix(" %")


def _multinomial(report: dict[str, Any]) -> tuple[Block, ...]:
    answer, classes = report["multinomial"], report["data"]["classes"]
    without = without_intercepts(report["data"]["bias"])
    if answer["verdict"] == "undecided":
        return (Paragraph(f"Undecided: {answer['reason']}."),)
    reference = one_line(classes[0]["label"])
    with_or_without = without or " with intercepts"
    model = f"A multinomial logistic regression{with_or_without} of the classes on these columns, with {reference} as "
    model += "the reference,"
    return of_answer(answer, model, f"of the class against {reference}")


def _what_is_asked(report: dict[str, Any]) -> Paragraph:
    return Paragraph(wording("all_classes_at_once", without=without_intercepts(report["data"]["bias"])))


def _proof_blocks(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the proofs that the page holds, and how the others are had."""
    held = [entry for entry in report["proofs"] if entry["certificate"] is not None]
    left = [entry for entry in report["proofs"] if entry["certificate"] is None]
    found: list[Block] = []
    if held:
        found.append(ProofSlot(tuple(ProofLine(question_of(entry), _claim(report, entry)) for entry in held)))
    found += [Paragraph(f"{question_of(entry)}: no proof in this page, as {entry['reason']}.") for entry in left]
    others = "A command makes a page for each class against the rest, and for each pair, with its proof:"
    found.append(Paragraph(wording("hardest_questions", kind=of_kind(report)) + others if len(held) > 1 else others))
    return (*found, DetailsBlock("The commands", (Points(_commands(report)),)))


def _class_name(label: object) -> str:
    """Return the name of a class in a sentence, even of one that is called like all others together."""
    return f"“{REST}”" if label == REST else name_of(label)


def question_of(entry: dict[str, Any]) -> str:
    """Return the subject of a proof."""
    if entry["part"] is None:
        return "All classes at once"
    positive, negative = (_class_name(entry[side]) for side in ("positive", "negative"))
    return f"{positive} against {'the rest' if len(entry['part']['negative']) > 1 else negative}"


def _claim(report: dict[str, Any], entry: dict[str, Any]) -> str:
    proof, data = entry["certificate"], report["data"]
    if entry["part"] is None:
        return _multinomial_claim(report, proof)
    if proof["claim"] in ("margin-between", "margin-exactly"):
        return _margin_claim(report, entry)
    about = {"bias": data["bias"], "n_samples": proof["data"]["n_samples"]}
    return " ".join(claims({"certificate": proof, "data": about}))


def _margin_claim(report: dict[str, Any], entry: dict[str, Any]) -> str:
    proof, hulls = entry["certificate"], "the two hulls have points, weighted means of"
    far = "no farther apart than twice that"
    if not report["data"]["bias"]:
        hulls, far = "the hull of the y x has a point, a weighted mean of", "no farther from the origin than that"
    return (
        f"γ* = {shared.margin_digits(entry)}, proven: a hyperplane{of_kind(report)} with integer "
        f"coefficients keeps this distance from all {plural(proof['data']['n_samples'], 'row')}, and {hulls} "
        f"{plural(len(proof['rows']), 'row')}, {far}."
    )


def _multinomial_claim(report: dict[str, Any], proof: dict[str, Any]) -> str:
    data = report["data"]
    scores = f"Scores{without_intercepts(data['bias'])}, one for each class, with integer coefficients"
    rows = plural(data["n_samples"], "row")
    if proof["claim"] == "separable":
        return f"{scores} put the own class of each of the {rows} strictly first."
    inequalities = plural(len(proof["rows"]), "inequality", "inequalities")
    balance = f"{inequalities} with positive integer weights balance exactly"
    if proof["claim"] == "quasi-separable":
        answer = report["multinomial"]
        strict = f"{count(answer['n_strict'])} of {plural(answer['n_inequalities'], 'inequality', 'inequalities')}"
        return (
            f"{scores} put no class before the own one of any of the {rows}, and make {strict} strict. {balance}: the "
            "others are always equalities."
        )
    ending = "no scores satisfy all inequalities strictly"
    return f"{balance}, so {'only equalities are possible' if proof['claim'] == 'overlap' else ending}."


def _commands(report: dict[str, Any]) -> tuple[str, ...]:
    """Return the command for each class, and the call for each pair."""
    source, classes = shared.source_name(report["data"]), [entry["label"] for entry in report["data"]["classes"]]
    options = [] if report["data"]["bias"] else ["--no-bias"]
    calls = [
        shlex.join(["maxmargin", "report", source, "--positive", str(label), *options])
        for label in classes[: class_contents.MOST_CLASSES]
    ]
    bias = "" if report["data"]["bias"] else ", bias=False"
    pair = f"maxmargin.margin_report(maxmargin.load({source!r}).pair({classes[0]!r}, {classes[1]!r}){bias})"
    return (*calls, f"in Python, for a pair: {pair}")


def _details(report: dict[str, Any]) -> tuple[Block, ...]:
    answer = report["multinomial"]
    whole: tuple[Block, ...] = (_what_is_asked(report),)
    if answer["verdict"] != "undecided":
        why = Paragraph(f"Proven in exact arithmetic: {answer['reason']}.")
        whole += (why, _facts_table(report), *_touching_tables(answer))
    return (
        DetailsBlock("The data as read", _data(report)),
        DetailsBlock("All classes at once", whole),
        DetailsBlock("Settings and versions", shared.method(report)),
    )


def _facts_table(report: dict[str, Any]) -> TableBlock:
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


def _touching_tables(answer: dict[str, Any]) -> tuple[TableBlock, ...]:
    """Return some touching rows, and the inequalities that exclude strict separation."""
    tables = [rows_table(answer)] if answer["verdict"] == "quasi-separable" else []
    if answer["witness"] is not None:
        tables.append(_witness(answer["witness"]["rows"]))
    return tuple(tables)


def _witness(entries: list[dict[str, Any]]) -> TableBlock:
    columns: Columns = {
        **shared.name_columns(entries),
        "Against": lambda entry: one_line(entry["against"]),
        "Share": shown_share,
    }
    caption = "The witness: inequalities that balance, so that not all of them can be strict"
    return shared.table_of(caption, entries, columns, numeric=(len(columns) - 1,), most=_MOST_WITNESSES)
