"""A page that checks its proofs: it carries the proofs, their data, and a script under a content security policy."""

import base64
import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from maxmargin.reports.document import Document, Script
from maxmargin.reports.pages.page_data import embedded_data, raw_data
from maxmargin.solvers.answers.answer_text import plain
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.problem.problem import ClassProblem, Problem

# Largest size of the data that are embedded in a page; others are a file beside it.
MOST_BYTES = 2_000_000

# Largest size of the file of the data beside a page; with more the page names the command that checks its proof.
MOST_BYTES_BESIDE = 400_000_000

# Where a reader hands in the file of the data.
_DROP = (
    '<p id="drop" data-script hidden>The data are too large for this page. Drop their file here, which lies beside the '
    'page (its name ends in .f64): <input type="file" id="drop-file" aria-label="the file of the data"></p>'
)


class CheckedPage(ABC):
    """A page whose script checks the proofs of a report.

    Parameters
    ----------
    problem : Problem or ClassProblem
        The rows that the proofs are about.
    summary : dict
        The fields of the report.
    document : Document
    """

    def __init__(self, problem: Problem | ClassProblem, summary: dict[str, Any], document: Document) -> None:
        self.problem, self.summary, self.document = problem, summary, document

    # The file of what is in the script of this kind of page alone.
    _moves = "replay.js"

    @property
    @abstractmethod
    def proofs(self) -> dict[str, dict[str, Any]]:
        """The proofs by the identifiers of their elements in the page."""

    @property
    @abstractmethod
    def _boxes(self) -> list[dict[str, Any]]:
        """The identifiers of each proof and of the place of its check, and the codes of its classes."""

    @abstractmethod
    def _figures(self) -> dict[str, str]:
        """Return the markup of the figures by the keys of their slots."""

    def _moving(self) -> dict[str, Any]:
        """Return what the script needs to move the figures."""
        return {}

    def _planes(self) -> dict[str, str]:
        """Return hyperplanes to copy, as JSON, by their names."""
        return {}

    def html(self) -> str:
        """Return the page."""
        with np.errstate(over="ignore", invalid="ignore"):  # numbers that a figure cannot hold are not drawn
            data = embedded_data(self.problem) if self.is_embedded else None
            parts = {"page-data": self._data(), **self.proofs, "data-text": data}
            script = script_of(parts, "page.js", self._moves, worker="check_proof.js", sha256="sha256.js")
            return self.document.html(self._figures(), script)

    @property
    def _n_bytes(self) -> int:
        return 8 * self.problem.n_samples * self.problem.n_features

    @property
    def _can_check(self) -> bool:
        """Whether a browser can check the proofs, if it has the data."""
        return bool(self.proofs) and self.problem.reading == "binary64"

    @property
    def is_embedded(self) -> bool:
        """Whether the data are in the page."""
        is_in_memory = self.summary["data"].get("in_memory", True)
        return self._can_check and is_in_memory and self._n_bytes <= MOST_BYTES

    def data_file(self) -> Iterator[bytes] | None:
        """Return the content of the file of the data beside the page; None where the page needs none."""
        if self.is_embedded or not self._can_check or self._n_bytes > MOST_BYTES_BESIDE:
            return None
        return raw_data(self.problem)

    @property
    def _sha256(self) -> str:
        """The hash of the numbers that the proofs are about, the prepared ones if they were prepared."""
        data = self.summary["data"]
        return str(data.get("prepared_sha256") or data["sha256"])

    def _tools(self, *, title: str = "") -> dict[str, str]:
        """Return the buttons that copy the command and the hash, and where a reader hands in the data."""
        sha = self._sha256
        buttons = (
            f'<p class="tools" data-script hidden><button type="button" data-copy="command"{title}>copy the command'
            f'</button><button type="button" data-copy="sha256" title="{sha}, of the rows and labels as numbers, not '
            f'of a file">SHA-256 of the numbers: {sha[:12]}…</button></p>'
        )
        buttons += (
            f'<p class="note printed">SHA-256 of the numbers: {sha}. Made by: '
            f"<code>{escape(printable(self.summary['command']))}</code></p>"
        )
        return {"tools": buttons} if self.data_file() is None else {"tools": buttons, "drop": _DROP}

    def _data(self) -> dict[str, Any]:
        return {
            "copies": {"command": self.summary["command"], "sha256": self._sha256, **self._planes()},
            "tables": {table.key: table.forms() for table in self.document.tables if table.key},
            **self._moving(),
            "proofs": self._boxes,
        }


def caption_of(text: str) -> str:
    """Return the caption of a figure as markup, "" for none."""
    return f"<figcaption>{escape(printable(text), quote=False)}</figcaption>" if text else ""


def script_of(parts: Mapping[str, Any], *names: str, **others: str) -> Script:
    """Return the script of a page, joined of these files, which reads the parts; None for a part is none.

    The others are the files of its worker, by the attributes of `Script`.
    """
    source = "".join(map(script_text, names))
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; worker-src blob:; style-src 'unsafe-inline'"
    apart = {name: script_text(others[name]) if name in others else "" for name in ("worker", "sha256")}
    texts = {name: _json(value) for name, value in parts.items() if value is not None}
    return Script(policy=policy, source=source, parts=texts, **apart)


def _json(value: Any) -> str:
    text = json.dumps(plain(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")  # so that no name of the data is markup to any reader of the page


def script_text(name: str) -> str:
    """Return a script without the lines that are comments, and with half of its indentation, as pages hold it."""
    text = (files("maxmargin.reports.templates") / name).read_text("utf-8")
    text = re.sub(r"^ *//.*\n|^\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^ +", lambda match: match[0][::2], text, flags=re.MULTILINE)
