"""What every installed solver says of a data set, against what is proven: the result, and its text."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmargin.comparison.audit.scripts import setting_name
from maxmargin.comparison.comparison import with_words
from maxmargin.reports.document import PAGE_SUFFIXES, check_page_suffix
from maxmargin.solvers.answers.answer_text import Result, counted, plain
from maxmargin.solvers.answers.cards import between
from maxmargin.solvers.basics.printable import shown
from maxmargin.text.tables import aligned

if TYPE_CHECKING:
    import os

    from maxmargin.reports.document import Document

_PARTS = ("source", "proven", "solvers", "script", "units", "gaps")
"""Attributes of a report."""

_LONGEST_STATUS = 60
"""Number of characters of a solver's status in the table."""

_MOST_RESCALINGS = 3
"""Number of rescalings that the table names for a rule."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TrustReport(Result):
    """What every installed solver says of a data set, against what is proven.

    Attributes
    ----------
    source : str
        The data.
    proven : dict
        `verdict`, `gamma_lower`, `gamma_upper`: what is proven.
    solvers : tuple of dict
        One for every solver and formulation, false claims first: `method`, `version`, `params`, `status`, `message`,
        `claim`, `claim_true`, `margin`, `share` (of the maximum margin), `n_errors` (rows that are not strictly on
        their side of its hyperplane) and `seconds`.
    script : str
        A command for the shell that gives the false and the missing answers again. Rows that it cannot hold are read
        with `maxmargin.load`; nothing else of this package takes part.
    units : tuple of dict
        One for every rule and tolerance: what it says of the data, whether that `is_right`, and after which rescalings
        of columns by powers of ten it is wrong (`wrong_at`).
    gaps : tuple of dict
        One for every solver: `separable_down_to`, the smallest planted gap 2^-k down to which it claims nothing false
        and answers; `overlap_down_to`, the same for overlaps; None where it fails at once. `first_failure` says how.

    See Also
    --------
    maxmargin.trust : Make the report.

    Examples
    --------
    >>> import maxmargin as mm
    >>> mm.trust(mm.load("agresti"), methods=["lp"])
    <TrustReport separable; of 1 solver 0 claims what is false, 0 claims nothing>
    """

    source: str
    proven: dict[str, Any]
    solvers: tuple[dict[str, Any], ...]
    script: str
    units: tuple[dict[str, Any], ...]
    gaps: tuple[dict[str, Any], ...]

    @property
    def false_claims(self) -> tuple[dict[str, Any], ...]:
        """The solvers whose claim is proven to be false."""
        return tuple(entry for entry in self.solvers if entry["claim_true"] is False)

    @property
    def headline(self) -> str:
        """The report on one line."""
        n_false, n_open = len(self.false_claims), sum(entry["claim"] is None for entry in self.solvers)
        asked = counted(len(self.solvers), "solver")
        claim = "claims" if len(self.solvers) == 1 else "claim"
        return f"{self.proven['verdict']}; of {asked} {n_false} {claim} what is false, {n_open} {claim} nothing"

    def summary(self) -> str:
        """Return the report as text, with the script."""
        lines = [f"{shown(self.source)}: {_proven_text(self.proven)}", self.headline, "", *_solver_lines(self.solvers)]
        lines += ["", *_unit_lines(self.units), "", *_gap_lines(self.gaps)]
        if self.script:
            lines += [
                "",
                "This script gives the false and the missing answers again, without the solvers of maxmargin:",
                "",
                self.script,
            ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the report in Python's own types, which JSON holds; an infinite parameter is the text "inf"."""
        solvers, gaps = ([entry | {"params": with_words(entry["params"])} for entry in entries]
                         for entries in (self.solvers, self.gaps))  # fmt: skip
        fields: dict[str, Any] = plain(
            {"source": self.source, "proven": self.proven, "n_false": len(self.false_claims), "solvers": solvers,
             "script": self.script, "units": list(self.units), "gaps": gaps}
        )  # fmt: skip
        return fields

    def to_json(self) -> str:
        """Return `to_dict` as JSON; its numbers read back as they are."""
        from maxmargin.text.escaping import json_characters

        return json_characters(json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)) + "\n"

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return self._document.markdown(is_padded=True)

    def to_html(self) -> str:
        """Return the report as one HTML page, light and dark, that loads nothing."""
        return self._document.html({})

    def save(self, path: "str | os.PathLike[str]") -> Path:
        """Write the report; the suffix says how.

        Parameters
        ----------
        path : path
            Ends in .html, .md or .json.

        Returns
        -------
        Path
            Where it is.

        Raises
        ------
        InvalidOptionError
            A ValueError, for any other suffix; nothing is written.
        OSError
            If the file cannot be written; its old content stays.
        """
        from maxmargin.text.outputs import write_text

        target = Path(path)
        check_page_suffix(target)
        forms = dict(zip(PAGE_SUFFIXES, (self.to_html, self.to_markdown, self.to_json), strict=True))
        write_text(target, forms[target.suffix.lower()]())
        return target

    @property
    def _document(self) -> "Document":
        from maxmargin.reports.pages import trust_page

        return trust_page.document({name: getattr(self, name) for name in _PARTS})

    def _card_fields(self) -> dict[str, Any]:
        lower, upper = self.proven["gamma_lower"], self.proven["gamma_upper"]
        return {
            "verdict, proven": self.proven["verdict"],
            "maximum margin γ*, proven": None if lower is None or not upper else between(lower, upper),
            "solvers": len(self.solvers),
            "false claims": len(self.false_claims),
            "claim nothing": sum(entry["claim"] is None for entry in self.solvers),
        }

    def _table_fields(self) -> dict[str, Any]:
        return {"source": self.source, **self.proven, "n_solvers": len(self.solvers), "n_false": len(self.false_claims)}


def _proven_text(proven: Mapping[str, Any]) -> str:
    if proven["gamma_lower"] is None:
        return f"{proven['verdict']}, proven" if proven["verdict"] != "undecided" else "undecided"
    return f"{proven['verdict']}, proven; maximum margin in [{proven['gamma_lower']!r}, {proven['gamma_upper']!r}]"


def _solver_lines(solvers: Iterable[Mapping[str, Any]]) -> list[str]:
    rows = [("solver", "claims", "which is", "its plane's share of the maximum margin", "seconds", "status")]
    rows += [
        (
            setting_name(entry),
            entry["claim"] or "-",
            {True: "true", False: "FALSE", None: "-" if entry["claim"] is None else "not decided"}[entry["claim_true"]],
            _share_text(entry),
            "-" if entry["seconds"] is None else f"{entry['seconds']:.3g}",
            shown(_status_text(entry)[:_LONGEST_STATUS]),
        )
        for entry in solvers
    ]
    return aligned(rows, to_the_left=(0, 1, 2, 5))


def _status_text(entry: Mapping[str, Any]) -> str:
    return str(entry["message"]) if entry["status"] == "ok" else f"{entry['status']}: {entry['message']}"


def _share_text(entry: Mapping[str, Any]) -> str:
    if entry["n_errors"]:
        return "does not separate"
    return "-" if entry["share"] is None else f"{entry['share']:.6f}"


def _unit_lines(units: Iterable[Mapping[str, Any]]) -> list[str]:
    rows = [("rule", "tolerance", "on these data", "wrong after columns were multiplied by")]
    for entry in units:
        is_open = entry["says"] is not None and entry["is_right"] is None
        says = "not decided" if is_open else {True: "right", False: "WRONG", None: "no optimum"}[entry["is_right"]]
        rows.append((entry["rule"], f"{entry['tolerance']:.0e}", says, _rescalings(entry)))
    return ["Units: the verdict does not depend on them, these rules do.", *aligned(rows, to_the_left=(0, 2, 3))]


def _rescalings(entry: Mapping[str, Any]) -> str:
    wrong = [case for case in entry["wrong_at"] if case[1] != 0]
    texts = [f"10^{power} ({shown(label)})" for label, power in wrong[:_MOST_RESCALINGS]]
    more = len(wrong) - len(texts)
    texts += [f"{more} more"] if more else []
    texts += [f"no optimum {counted(entry['not_answered'], 'time')}"] if entry["not_answered"] else []
    return ", ".join(texts) or "-"


def _gap_lines(gaps: Iterable[Mapping[str, Any]]) -> list[str]:
    rows = [("solver", "separable, right down to", "overlapping, right down to", "first failure")]
    rows += [
        (setting_name(entry), _gap_text(entry["separable_down_to"]), _gap_text(entry["overlap_down_to"]),
         shown((entry["first_failure"] or "-")[:_LONGEST_STATUS]))
        for entry in gaps
    ]  # fmt: skip
    return ["Planted gaps and overlaps of 2^-k around 0:", *aligned(rows, to_the_left=(0, 1, 2, 3))]


def _gap_text(k: int | None) -> str:
    return "none" if k is None else f"2^-{k}"
