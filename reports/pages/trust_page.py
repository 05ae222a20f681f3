"""The page of a trust report: whose claims are false, in which units, at which gaps, and the script that shows it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from maxmargin.comparison.audit.scripts import setting_name
from maxmargin.comparison.jobs.outcome import NOT_RUN
from maxmargin.reports.document import (
    Block,
    Card,
    Code,
    DetailsBlock,
    Document,
    Emphasis,
    Paragraph,
    Points,
    Section,
    TableBlock,
    facts,
)
from maxmargin.reports.phrasing import angle_text
from maxmargin.reports.sections.shared import Columns, source_name, table_of
from maxmargin.reports.templates import wording
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.text.number_formats import (
    UNKNOWN,
    count,
    interval,
    listed,
    one_line,
    percent,
    plural,
    power_of_ten,
    proven,
    rounded,
    share_of_the_best,
)

Fields = Mapping[str, Any]

# Number of characters of what a solver says in a table.
_LONGEST_STATUS = 60

# Number of rescalings that the table names for a rule.
_MOST_RESCALINGS = 3

# Largest number of solvers that the head of a page names.
_MOST_NAMED = 3

# Share of the maximum margin from which on it is reached, as claims of it are judged.
_REACHED = 1 - 1e-3


def document(found: Fields) -> Document:
    """Return the report as a page.

    Parameters
    ----------
    found : mapping
        The attributes of a `maxmargin.TrustReport`.
    """
    name, n_false = source_name(dict(found)), _n_false(found["solvers"])
    asked = tuple(entry for entry in found["solvers"] if entry["status"] != NOT_RUN)
    return Document(
        kind="Trust report",
        title=f"{name}: whom to trust",
        subtitle=f"{name} · {plural(len(asked), 'solver')} asked",
        headline=(_headline(n_false, len(asked)),),
        tone="bad" if n_false else "open" if not asked or found["proven"]["verdict"] == "undecided" else "good",
        cards=_cards({**found, "solvers": asked}),
        sections=tuple(_sections(found)),
        lead=(*_what_is_proven(found["proven"]), *_who(asked)),
    )


def _n_false(solvers: Iterable[Fields]) -> int:
    return sum(entry["claim_true"] is False for entry in solvers)


def _headline(n_false: int, n_solvers: int) -> str:
    if not n_solvers:
        return "No solver was asked within the time limit."
    if n_solvers == 1:
        return f"The solver that was asked claims {'what is' if n_false else 'nothing'} false about these data."
    if not n_false:
        return f"None of {count(n_solvers)} solvers claims what is false about these data."
    claim = "claims" if n_false == 1 else "claim"
    return f"{count(n_false)} of {count(n_solvers)} solvers {claim} what is false about these data."


def _has_margin(facts_of: Fields) -> bool:
    return bool(facts_of["gamma_lower"] and facts_of["gamma_upper"])


def _what_is_proven(facts_of: Fields) -> tuple[str | Emphasis, ...]:
    verdict = facts_of["verdict"]
    if verdict == Verdict.UNDECIDED.value:
        return ("Whether the classes are separable was not decided, so that some claims are not judged.",)
    stated: tuple[str | Emphasis, ...] = ("Proven: the classes are ", Emphasis(verdict))
    if verdict == Verdict.OVERLAP.value:
        stated = ("Proven: the classes ", Emphasis("overlap"))
    if not _has_margin(facts_of):
        return (*stated, ".")
    best = Emphasis(proven(facts_of["gamma_lower"], facts_of["gamma_upper"]), "truth")
    return (*stated, ", with the maximum margin ", best, ".")


def _who(solvers: tuple[Fields, ...]) -> list[str | Emphasis]:
    """Return whose claims are false, and how many solvers claim nothing."""
    wrong = Counter(one_line(entry["method"]) for entry in solvers if entry["claim_true"] is False)
    sentences: list[str | Emphasis] = []
    if wrong:
        named, more = list(wrong)[:_MOST_NAMED], len(wrong) - _MOST_NAMED
        last = f" and {plural(more, 'other')}" if more > 0 else ""
        joints = ["", *[", "] * (len(named) - 2), *([", " if last else " and "] * (len(named) > 1))]
        names = [
            piece for joint, method in zip(joints, named, strict=True) for piece in (joint, Emphasis(method)) if piece
        ]
        sentences += [" False claims come from ", *names, f"{last}."]
    silent = sum(entry["claim"] is None for entry in solvers)
    if silent:
        sentences.append(f" {count(silent)} {'claims' if silent == 1 else 'claim'} nothing.")
    return sentences


def _cards(found: Fields) -> tuple[Card, ...]:
    solvers, known = found["solvers"], found["proven"]
    failed = sum(entry["status"] != "ok" for entry in solvers)
    cards = [
        Card(label="False claims", value=count(_n_false(solvers)), note=f"of {plural(len(solvers), 'solver')}"),
        Card(label="True claims", value=count(sum(entry["claim_true"] is True for entry in solvers))),
        Card(label="Claim nothing", value=count(sum(entry["claim"] is None for entry in solvers)),
             note=f"{count(failed)} without an answer"),
        Card(label="Verdict", value=known["verdict"],
             note="" if known["verdict"] == Verdict.UNDECIDED.value else "proven in exact arithmetic"),
    ]  # fmt: skip
    if _has_margin(known):
        digits = proven(known["gamma_lower"], known["gamma_upper"], 7)
        cards.append(Card(label="Maximum margin γ*", value=digits, note="proven"))
    return tuple(cards)


def _sections(found: Fields) -> Iterable[Section]:
    yield Section(anchor="claims", title="What the solvers claim", blocks=_claims(found["solvers"]))
    yield Section(anchor="units", title="Units", blocks=_units(found["units"]))
    if found["gaps"]:
        yield Section(anchor="gaps", title="Planted gaps and overlaps", blocks=_gaps(found["gaps"]))
    if found["script"]:
        yield Section(anchor="script", title="See it without maxmargin", blocks=_script(found["script"]))
    yield Section(anchor="proven", title="What is proven", blocks=(_facts_table(found),))
    yield Section(anchor="unknown", title="What this does not say", blocks=(Points(_UNKNOWN),))


_UNKNOWN = (
    "Solvers were asked with the versions, options and limits of this run; others may answer otherwise.",
    "A claim is judged for these very numbers. A solver that is right about them need not be right about others.",
    "The seconds are those of one run, on a machine that may have had other work.",
    "A solver that claims nothing misreports nothing: a status such as “inaccurate” or a warning counts as no claim.",
)


def _claims(solvers: Sequence[Fields]) -> tuple[Block, ...]:
    columns: Columns = {
        "Solver": setting_name,
        "Claim is": _truth,
        "Claims": lambda entry: entry["claim"] or UNKNOWN,
        "Share of γ*": _share,
        "Rows in error": lambda entry: count(entry["n_errors"]),
        "Says": _status,
        "Angle": lambda entry: angle_text(entry) or UNKNOWN,
        "Seconds": lambda entry: rounded(entry["seconds"], 3),
        "Version": lambda entry: str(entry["version"] or UNKNOWN),
    }
    note = wording("trust_claims")
    return (table_of("Claims against what is proven", solvers, columns, numeric=(3, 4, 6, 7), note=note),)


def _truth(entry: Fields) -> str:
    if entry["claim"] is None:
        return UNKNOWN
    return {True: "true", False: "FALSE", None: "not decided"}[entry["claim_true"]]


def _share(entry: Fields) -> str:
    if entry["n_errors"]:
        return "does not separate"
    share = entry["share"]
    if share is None:
        return UNKNOWN
    return share_of_the_best(share) if share >= _REACHED else percent(share)


def _status(entry: Fields) -> str:
    said = entry["message"] if entry["status"] == "ok" else f"{entry['status']}: {entry['message']}"
    return one_line(said or UNKNOWN, _LONGEST_STATUS)


def _units(units: Sequence[Fields]) -> tuple[Block, ...]:
    columns: Columns = {
        "Rule": lambda entry: entry["rule"],
        "Tolerance": lambda entry: _tolerance(entry["tolerance"]),
        "On these data": _verdict_of_a_rule,
        "Wrong after columns were multiplied by": _rescalings,
    }
    return (
        Paragraph(wording("trust_units")),
        table_of("Rules with a tolerance, in other units", units, columns, numeric=(1,)),
    )


def _tolerance(value: float) -> str:
    """Return a tolerance as a power of ten, where it is one."""
    mantissa, exponent = f"{value:e}".split("e")
    return power_of_ten(int(exponent)) if float(mantissa) == 1 else rounded(value)


def _verdict_of_a_rule(entry: Fields) -> str:
    if entry["says"] is not None and entry["is_right"] is None:
        return "not decided"
    return {True: "right", False: "WRONG", None: "no optimum"}[entry["is_right"]]


def _rescalings(entry: Fields) -> str:
    wrong = [case for case in entry["wrong_at"] if case[1] != 0]
    texts = [f"{power_of_ten(power)} ({one_line(label)})" for label, power in wrong[:_MOST_RESCALINGS]]
    more = len(wrong) - len(texts)
    texts += [f"{count(more)} more"] if more else []
    texts += [f"no optimum {plural(entry['not_answered'], 'time')}"] if entry["not_answered"] else []
    return ", ".join(texts) or UNKNOWN


def _gaps(gaps: Sequence[Fields]) -> tuple[Block, ...]:
    columns: Columns = {
        "Solver": setting_name,
        "Separable by": lambda entry: _gap(entry["separable_down_to"]),
        "Overlapping by": lambda entry: _gap(entry["overlap_down_to"]),
        "First failure": lambda entry: one_line(entry["first_failure"] or UNKNOWN, _LONGEST_STATUS),
    }
    return (Paragraph(wording("trust_gaps")), table_of("The smallest gap that a solver gets right", gaps, columns))


def _gap(k: int | None) -> str:
    return "none" if k is None else f"2{power_of_ten(-k).removeprefix('10')}"


def _script(script: str) -> tuple[Block, ...]:
    lines = tuple(script.splitlines())
    return (
        Paragraph(wording("trust_script")),
        DetailsBlock(f"The script ({plural(len(lines), 'line')})", (Code(lines),)),
    )


def _facts_table(found: Fields) -> TableBlock:
    known = found["proven"]
    rows = [("Source", source_name(dict(found))), ("Verdict", known["verdict"])]
    if known["gamma_lower"] is not None:
        rows.append(("Maximum margin γ*, proven interval", interval(known["gamma_lower"], known["gamma_upper"])))
    silent = [setting_name(entry) for entry in found["solvers"] if entry["claim"] is None]
    if silent:
        rows.append(("Claim nothing", listed(silent)))
    return facts("The data", rows)
