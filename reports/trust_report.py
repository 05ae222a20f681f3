"""The trust report: the claims of every installed solver about a data set, against the proven facts."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maxmargin.comparison.comparison import with_words
from maxmargin.comparison.jobs.outcome import NOT_RUN
from maxmargin.reports.document import Document, json_text, plain_text, save_page
from maxmargin.solvers.answers.answer_text import Result, plain
from maxmargin.solvers.answers.cards import between
from maxmargin.solvers.basics.printable import printable, terminal_width
from maxmargin.text.number_formats import plural

# Attributes of a report.
_PARTS = ("source", "proven", "solvers", "script", "units", "gaps")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TrustReport(Result):
    """The claims of every installed solver about a data set, against the proven facts.

    Attributes
    ----------
    source : str
        The data.
    proven : dict
        `verdict`, `gamma_lower`, `gamma_upper`: what is proven.
    solvers : tuple of dict
        One for every solver and formulation, false claims first: `method`, `version`, `params`, `status`, `message`,
        `claim`, `claim_true`, `margin`, `share` (of the maximum margin), `angle_lower` and `angle_upper` (proven ends
        of the angle to the normal of the maximum margin, in degrees), `n_errors` (rows that are not strictly on their
        side of its hyperplane) and `seconds`.
    script : str
        A command for the shell that gives the false and the missing answers again. Rows that it cannot hold are read
        with `maxmargin.load`; nothing else of this package takes part.
    units : tuple of dict
        One for every rule and tolerance: what it says of the data, whether that `is_right`, and after which rescalings
        of columns by powers of ten it is wrong (`wrong_at`).
    gaps : tuple of dict
        Empty unless they were asked for; else one for every solver: `separable_down_to`, the smallest planted gap 2^-k
        down to which it claims nothing false and answers; `overlap_down_to`, the same for overlaps; None where it fails
        at once. `first_failure` says how.

    See Also
    --------
    maxmargin.trust : Make the report.

    Examples
    --------
    >>> import maxmargin as mm
    >>> mm.trust(mm.load("agresti"), methods=["lp"])
    <TrustReport separable; 0 false claims of 1 solver, 0 claim nothing>
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
        asked = [entry for entry in self.solvers if entry["status"] != NOT_RUN]
        n_open = plural(sum(entry["claim"] is None for entry in asked), "claims", "claim")
        of = f"{plural(len(self.false_claims), 'false claim')} of {plural(len(asked), 'solver')}"
        text, n_left_out = f"{self.proven['verdict']}; {of}, {n_open} nothing", len(self.solvers) - len(asked)
        return f"{text}; {plural(n_left_out, 'other was', 'others were')} not asked in time" if n_left_out else text

    def summary(self) -> str:
        """Return the report as text; `script` gives the false and the missing answers again."""
        document = self._document
        lines = [printable(document.subtitle), self.headline, printable(plain_text(document.lead))]
        for table in document.tables:
            if any(table.columns):  # the table of facts repeats what is above
                lines += ["", *table.lines(width=terminal_width())]
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
        return json_text(self.to_dict())

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return self._document.markdown(is_padded=True)

    def to_html(self) -> str:
        """Return the report as one HTML page, light and dark, that loads nothing."""
        return self._document.html({})

    def save(self, path: str | os.PathLike[str]) -> Path:
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
        return save_page(path, self.to_html, self.to_markdown, self.to_json)

    @property
    def _document(self) -> Document:
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
