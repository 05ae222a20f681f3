"""The report of a research comparison: failures and false claims first, then margins, claims, times and mistakes."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from maxmargin.comparison.comparison import Comparison
from maxmargin.comparison.record_files import write_csv, write_parquet
from maxmargin.reports.captioned.captioned_display import CaptionedDisplay, figure_element, save
from maxmargin.reports.comparisons import (
    background,
    comparison_displays,
    comparison_page,
    differences,
    failures,
    margin_times,
    mistake_laws,
    paper_tables,
    question_profiles,
    reached_margins,
    timings,
)
from maxmargin.reports.comparisons.runs import Runs
from maxmargin.reports.document import Document, TableBlock, json_text
from maxmargin.reports.pages.checked_page import script_of
from maxmargin.reports.study.summary_fields import plain
from maxmargin.text.outputs import write_text

SCHEMA = "maxmargin.comparison/1"


@dataclass(frozen=True, eq=False)
class ComparisonReport:
    """A report of a comparison, which can be written in several forms; its figures are drawn when they are needed.

    The same records give the same bytes, in whatever order they come. Every method that writes takes ``times``: if it
    is False, everything is left out that differs from one execution of a study to the next, which is times, memory,
    jobs and the machine.

    Parameters
    ----------
    comparison : Comparison
        The records, and the facts on the data.
    old : Comparison, optional
        An earlier run of the comparison, with which it is compared.

    See Also
    --------
    comparison_report : Make a report.
    """

    comparison: Comparison
    old: Comparison | None = None

    def to_dict(self, *, times: bool = True) -> dict[str, Any]:
        """Return what the report says as dicts, lists, texts, booleans, None and finite numbers."""
        return dict(plain(self._fields(times=times)))

    def to_json(self, *, times: bool = True) -> str:
        """Return `to_dict` as JSON; its numbers read back as they are."""
        return json_text(self.to_dict(times=times))

    def to_markdown(self, *, times: bool = True) -> str:
        """Return the report as Markdown; its figures are links into the folder ``figures``."""
        return self._document(times=times).markdown(self.pictures(times=times), is_padded=True)

    def to_latex(self, *, times: bool = True) -> str:
        """Return the tables of the report as a LaTeX document, from which they can be copied into others."""
        return self._document(times=times).latex()

    def to_html(self, *, times: bool = True) -> str:
        """Return the report as one HTML page with its figures, light and dark, that loads nothing."""
        fields = self._fields(times=times)
        figures = {key: figure_element(picture) for key, picture in self.pictures(times=times).items()}
        script = script_of({"study": paper_tables.choices(fields["paper_tables"])}, "study.js")
        return comparison_page.document(fields).html(figures | {"choice": paper_tables.CHOICE}, script)

    def summary(self) -> str:
        """Return the main results as plain text of about 25 lines, failures and false claims first, without times."""
        return "\n".join(comparison_page.summary_lines(self._fields(times=False))) + "\n"

    @property
    def tables(self) -> tuple[TableBlock, ...]:
        """All tables of the report, with captions, as they are printed."""
        return self._document(times=True).tables

    def pictures(self, *, times: bool = True) -> dict[str, CaptionedDisplay]:
        """Return the figures by their keys, with captions and alternative texts."""
        return comparison_displays.pictures(self._profiles(times=times), self._laws, self._times if times else ())

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the report into a folder, which is made if there is none.

        The files are ``report.html``, one page that needs no other file, ``report.md``, ``report.json``,
        ``report.tex``, ``records.csv``, ``records.parquet``, and each figure as SVG, PDF and PNG in ``figures``; and
        ``results.md``, the report without times, memory and the machine, which is the same byte by byte whenever and
        wherever the study is run. Each is written whole or not at all, ``report.md`` last, so that all that it links
        to is there.

        Parameters
        ----------
        folder : path

        Returns
        -------
        list of Path
            The files in the order in which they were written.

        Raises
        ------
        OSError
            If a file cannot be written; the error names it, and its old content stays.
        """
        target = Path(folder)
        (target / "figures").mkdir(parents=True, exist_ok=True)
        written = [target / "records.csv", target / "records.parquet"]
        for write, path in zip((write_csv, write_parquet), written, strict=True):
            write(self._runs.records, path)
        written += [path for picture in self.pictures().values() for path in save(picture, target / "figures")]
        texts = {"report.json": self.to_json(), "report.tex": self.to_latex(), "report.html": self.to_html(),
                 "results.md": self.to_markdown(times=False), "report.md": self.to_markdown()}  # fmt: skip
        for name, text in texts.items():
            write_text(target / name, text)
            written.append(target / name)
        return written

    def _repr_html_(self) -> str:
        """Return the answer and the key numbers as a small card for notebooks; `save` writes the page."""
        return self._document(times=True).card(
            "ComparisonReport", "the page, the tables, the records and the figures: report.save('folder')"
        )

    def __repr__(self) -> str:
        return f"<ComparisonReport {failures.sentences(self._fields(times=False)['failures_and_false_claims'])[0]}>"

    @cached_property
    def _runs(self) -> Runs:
        return Runs(self.comparison)

    @cached_property
    def _laws(self) -> tuple[mistake_laws.MistakeLaw, ...]:
        return mistake_laws.laws_of(self._runs)

    @cached_property
    def _times(self) -> tuple[margin_times.MethodTimes, ...]:
        return margin_times.times_of_methods(self._runs)

    def _profiles(self, *, times: bool) -> tuple[question_profiles.QuestionProfile, ...]:
        return tuple(profile for profile in self._all_profiles if times or profile.kind != "time")

    @cached_property
    def _all_profiles(self) -> tuple[question_profiles.QuestionProfile, ...]:
        return question_profiles.profiles_of(self._runs)

    def _fields(self, *, times: bool) -> dict[str, Any]:
        """Return the numbers of all sections, in the order of the report."""
        runs = self._runs
        return {
            "schema": SCHEMA,
            "title": self.comparison.title,
            "failures_and_false_claims": failures.fields(runs),
            **({} if self.old is None else {"changes": differences.fields(Runs(self.old), runs, times=times)}),
            "paper_tables": paper_tables.fields(runs, times=times),
            "margins": reached_margins.margin_fields(runs),
            "claims": reached_margins.claim_fields(runs),
            "times": timings.fields(runs) if times else None,
            "margin_times": margin_times.fields(self._times) if times else None,
            "profiles": question_profiles.fields(self._profiles(times=times)),
            "mistakes": mistake_laws.fields(runs, self._laws),
            "held_out": background.held_out_fields(runs),
            "data": background.data_fields(runs, times=times),
            **background.settings_fields(runs, times=times),
        }

    def _document(self, *, times: bool) -> Document:
        return comparison_page.document(self._fields(times=times))


def comparison_report(comparison: Comparison, *, old: Comparison | None = None) -> ComparisonReport:
    """Report on a comparison of methods.

    Parameters
    ----------
    comparison : Comparison
        Its records, the proven facts on its data, its settings and its environment.
    old : Comparison, optional
        An earlier run. Cells are matched by data, method, parameters, order, seed and fold, and the report says what
        changed.

    Returns
    -------
    ComparisonReport
        The report, which can be saved to a folder, and returned as Markdown, LaTeX, HTML and JSON.
    """
    return ComparisonReport(comparison, old)
