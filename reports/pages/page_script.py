"""What every page with a script carries: the script under its policy, its worker, and what both read."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from maxmargin.reports.document import Details, Document, Script, Table
from maxmargin.solvers.answers.answer_text import plain

MOST_BYTES = 2_000_000
"""Largest size of the data that are embedded in a page; others are a file beside it."""

MOST_BYTES_BESIDE = 400_000_000
"""Largest size of the file of the data beside a page; with more the page names the command that checks its proof."""

DROP = (
    '<p id="drop" data-script hidden>The data are too large for this page. Drop their file here, which lies beside the '
    'page (its name ends in .f64): <input type="file" id="drop-file" aria-label="the file of the data"></p>'
)
"""Where a reader hands in the file of the data."""


def script_of(parts: Mapping[str, Any]) -> Script:
    """Return the script of a page that reads these parts, by their identifiers; None for a part is none."""
    source = script_text("page.js")
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; worker-src blob:; style-src 'unsafe-inline'"
    texts = {name: _json(value) for name, value in parts.items() if value is not None}
    return Script(policy=policy, source=source, worker=script_text("check_proof.js"), parts=texts)


def tables_of(document: Document) -> list[Table]:
    """Return the tables that can be copied."""
    blocks = [block for section in document.sections for block in section.blocks]
    inner = [part for block in blocks if isinstance(block, Details) for part in block.blocks]
    return [block for block in (*blocks, *inner) if isinstance(block, Table) and block.key]


def _json(value: Any) -> str:
    text = json.dumps(plain(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")  # so that no name of the data is markup to any reader of the page


def script_text(name: str) -> str:
    """Return a script without the lines that are comments, and with half of its indentation, as pages hold it."""
    text = (files("maxmargin.reports.templates") / name).read_text("utf-8")
    text = re.sub(r"^ *//.*\n|^\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^ +", lambda match: match[0][::2], text, flags=re.MULTILINE)
