"""The page of a report on many classes: its two figures, and the script that checks its proofs."""

from typing import Any

from maxmargin.reports.drawings.class_matrix import TITLE, class_matrix
from maxmargin.reports.drawings.class_rulers import class_rulers
from maxmargin.reports.pages.checked_page import CheckedPage, caption_of
from maxmargin.reports.sections import class_contents


class ClassesPage(CheckedPage):
    """The page of a study of many classes."""

    _moves = "classes.js"

    @property
    def _held(self) -> list[dict[str, Any]]:
        return [entry for entry in self.summary["proofs"] if entry["certificate"] is not None]

    @property
    def proofs(self) -> dict[str, dict[str, Any]]:
        """The proofs by the identifiers of their elements in the page."""
        return {f"proof-{k}": entry["certificate"] for k, entry in enumerate(self._held)}

    @property
    def _boxes(self) -> list[dict[str, Any]]:
        return [
            {"proof": f"proof-{k}", "part": entry["part"], "box": f"check-{k}"} for k, entry in enumerate(self._held)
        ]

    def _figures(self) -> dict[str, str]:
        report = self.summary
        matrix = class_matrix(
            class_contents.names_of(report), class_contents.cells_of(report), class_contents.matrix_finding(report),
            class_contents.matrix_caption(report),
        )  # fmt: skip
        scroll = f'<div class="scroll" role="region" aria-label="{TITLE}">{matrix.markup}</div>'
        found = {"matrix": f'<figure class="matrix">{scroll}{caption_of(matrix.caption)}</figure>', **self._tools()}
        rulers = class_rulers(
            class_contents.rulers_of_classes(report), class_contents.rulers_finding(report),
            class_contents.rulers_caption(report),
        )  # fmt: skip
        if rulers is not None:
            found["class-rulers"] = f'<figure class="ruler">{rulers.markup}{caption_of(rulers.caption)}</figure>'
        return found
