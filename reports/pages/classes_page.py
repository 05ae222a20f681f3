"""The page of a report on many classes: its two figures, and the script that checks its proofs."""

import shlex
from collections.abc import Iterator
from html import escape
from typing import Any

from maxmargin.reports.document import Document, Script
from maxmargin.reports.drawings.class_matrix import class_matrix
from maxmargin.reports.drawings.class_rulers import class_rulers
from maxmargin.reports.pages.page_data import embedded_data, raw_data
from maxmargin.reports.pages.page_script import DROP, MOST_BYTES, MOST_BYTES_BESIDE, script_of, tables_of
from maxmargin.reports.sections import class_contents
from maxmargin.reports.sections.shared import source_name
from maxmargin.reports.study.class_study import ClassStudy
from maxmargin.solvers.basics.printable import printable


class ClassesPage:
    """The page of a study, its summary and its document."""

    def __init__(self, study: ClassStudy, summary: dict[str, Any], document: Document) -> None:
        self.study, self.summary, self.document = study, summary, document

    def html(self) -> str:
        """Return the page."""
        return self.document.html(self._figures(), self._script())

    @property
    def proofs(self) -> list[dict[str, Any]]:
        """The proofs that the page holds, each with the codes of its classes."""
        return [entry for entry in self.summary["proofs"] if entry["certificate"] is not None]

    @property
    def _n_bytes(self) -> int:
        return 8 * self.study.problem.n_samples * self.study.problem.n_features

    @property
    def is_embedded(self) -> bool:
        """Whether the data are in the page."""
        return bool(self.proofs) and self._n_bytes <= MOST_BYTES

    def data_file(self) -> Iterator[bytes] | None:
        """Return the content of the file of the data beside the page; None where the page needs none."""
        if self.is_embedded or not self.proofs or self._n_bytes > MOST_BYTES_BESIDE:
            return None
        return raw_data(self.study.problem)

    def _figures(self) -> dict[str, str]:
        report = self.summary
        matrix = class_matrix(
            class_contents.names_of(report), class_contents.cells_of(report), class_contents.matrix_finding(report),
            class_contents.matrix_caption(report),
        )  # fmt: skip
        scroll = f'<div class="scroll" role="region" aria-label="{matrix.title}">{matrix.markup}</div>'
        found = {
            "matrix": f'<figure class="matrix">{scroll}{_caption(matrix.caption)}</figure>',
            "tools": self._tools(),
        }
        rulers = class_rulers(
            class_contents.rulers_of_classes(report), class_contents.rulers_finding(report),
            class_contents.rulers_caption(report),
        )  # fmt: skip
        if rulers is not None:
            found["class-rulers"] = f'<figure class="ruler">{rulers.markup}{_caption(rulers.caption)}</figure>'
        if self.data_file() is not None:
            found["drop"] = DROP
        return found

    def _tools(self) -> str:
        sha = self.summary["data"]["sha256"]
        return (
            '<p class="tools" data-script hidden><button type="button" data-copy="command">copy the command</button>'
            f'<button type="button" data-copy="sha256" title="{sha}, of the rows and labels as numbers, not of a file">'
            f"SHA-256 of the numbers: {sha[:12]}…</button></p>"
        )

    def _script(self) -> Script:
        certificates = {f"proof-{k}": entry["certificate"] for k, entry in enumerate(self.proofs)}
        data = embedded_data(self.study.problem) if self.is_embedded else None
        return script_of({"page-data": self._data(), **certificates, "data-text": data})

    def _data(self) -> dict[str, Any]:
        data = self.summary["data"]
        options = [] if data["bias"] else ["--no-bias"]
        command = shlex.join(["maxmargin", "report", source_name(data), *options])
        return {
            "copies": {"command": command, "sha256": data["sha256"]},
            "tables": {table.key: table.forms() for table in tables_of(self.document)},
            "proofs": [
                {"proof": f"proof-{k}", "part": entry["part"], "box": f"check-{k}"}
                for k, entry in enumerate(self.proofs)
            ],
        }


def _caption(text: str) -> str:
    return f"<figcaption>{escape(printable(text), quote=False)}</figcaption>"
