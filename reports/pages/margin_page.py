"""The page of a two-class report: its drawings, its views of the rows, and the script that checks its proof."""

import json
from collections.abc import Iterable
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from maxmargin.displays.drawing import thinned
from maxmargin.reports.document import Document
from maxmargin.reports.drawings.mistake_curves import mistake_curves
from maxmargin.reports.drawings.order_histogram import order_histogram
from maxmargin.reports.drawings.row_views import axes_of, drawn_rows_text, run_snapshots, scatter, shows_band, strips
from maxmargin.reports.drawings.rulers import drawn
from maxmargin.reports.drawings.svg import Drawing
from maxmargin.reports.pages.checked_page import CheckedPage, caption_of
from maxmargin.reports.sections.ruler_contents import rulers_of
from maxmargin.reports.sections.two_classes import SUPPORT_ROWS
from maxmargin.reports.study.drawn_rows import DrawnRows, drawn_rows_of
from maxmargin.reports.study.two_class_study import TwoClassStudy
from maxmargin.solvers.basics.printable import printable
from maxmargin.text.number_formats import one_line, rounded

# Largest exponent of two of the numbers of rows whose run is replayed.
_LARGEST_EXPONENT = 250

# Fewest moments of a long run that are kept for its replay, and the number of weights of all of them together.
_FEWEST_FRAMES, _FRAME_NUMBERS = 6, 480


class MarginPage(CheckedPage):
    """The page of a study of two classes."""

    def __init__(self, study: TwoClassStudy, summary: dict[str, Any], document: Document) -> None:
        super().__init__(study.problem, summary, document)
        self.study = study

    @cached_property
    def drawn_rows(self) -> DrawnRows:
        """The rows that are drawn."""
        return drawn_rows_of(self.study)

    @property
    def proofs(self) -> dict[str, dict[str, Any]]:
        """The proof by the identifier of its element in the page."""
        proof = self.summary["certificate"]
        return {} if proof is None else {"proof-text": proof}

    @property
    def _boxes(self) -> list[dict[str, Any]]:
        return [{"proof": name, "box": "check-full"} for name in self.proofs]

    def _figures(self) -> dict[str, str]:
        found = {ruler.key: f'<div class="ruler">{drawn(ruler)}</div>' for ruler in rulers_of(self.summary)}
        found["rows"] = self._views()
        found["planes"] = self._plane_tools()
        found |= self._explaining()
        if self.proofs:
            found |= self._tools(
                title=f' title="the command that made this page: {escape(printable(self.summary["command"]))}"'
            )
        return found

    def _planes(self) -> dict[str, str]:
        found = {plane.name: {"w": plane.w.tolist(), "b": plane.b} for plane in reversed(self.study.planes)}
        return {name: json.dumps(plane) for name, plane in found.items()}

    def _plane_tools(self) -> str:
        buttons = "".join(
            f'<button type="button" data-copy="{escape(plane.name)}">{escape(plane.name)}</button>'
            for plane in reversed(self.study.planes)
        )
        link = f'<p class="note"><a href="#{SUPPORT_ROWS}">The rows that hold the maximum margin</a></p>'
        copies = f'<p class="tools" data-script hidden>Copy w and b as JSON: {buttons}</p>' if buttons else ""
        return copies + (link if self.summary["support_rows"] else "")

    def _explaining(self) -> dict[str, str]:
        """Return the curves and the orders side by side, under the key of the first that there is."""
        orders = None if self.study.orders is None else order_histogram(self.study.orders)
        pictures = [picture for picture in (mistake_curves(self.summary), orders) if picture is not None]
        if not pictures:
            return {}
        return {"curves": f'<div class="pair">{"".join(map(_figure, pictures))}</div>'}

    def _views(self) -> str:
        view = self.drawn_rows
        pictures = [_figure(picture) for picture in (scatter(view), strips(view)) if picture is not None]
        classes = [_class_name(entry) for entry in self.summary["data"]["classes"]]
        which = drawn_rows_text(view, self.study.problem.n_samples)
        caption = f"● {classes[0]}, ■ {classes[1]}. {_legend(view)} {which}"
        parts = [
            f'<div id="views" class="pair" role="group" tabindex="0" aria-label="{_KEYS}">{"".join(pictures)}</div>',
            '<p id="row-said" role="status" data-script hidden>Point at a row, or use the arrow keys.</p>',
            _REPLAY if self._can_check else "",
            f'<p class="note">{escape(printable(caption.strip()), quote=False)}</p>',
        ]
        return "".join(parts) + self._without_script()

    def _without_script(self) -> str:
        run, problem = self.study.run, self.study.problem
        rows = self.study.replay.rows
        if not len(rows) or len(rows) < run.n_mistakes or not self.study.dataset.is_in_memory:
            return ""
        n, signs, scale = len(rows), problem.y[rows], self.study.scale
        steps = problem.dense_rows(rows) * signs[:, None]
        after = sorted({1, 2, 3, n // 2, n} & set(range(1, n + 1)))
        states = ((k, steps[:k].sum(axis=0), float(signs[:k].sum()) * scale * scale) for k in after)
        return f'<noscript><div class="moments">{run_snapshots(self.drawn_rows, states)}</div></noscript>'

    def _moving(self) -> dict[str, Any]:
        return {"view": self._view_data(), "run": self._run_data()}

    def _view_data(self) -> dict[str, Any]:
        study, view = self.study, self.drawn_rows
        order = np.concatenate([np.flatnonzero(~view.is_positive), np.flatnonzero(view.is_positive)])
        rows = view.rows[order].tolist()
        dual, mistaken = study.hard.dual, study.run.mistake_counts
        has_dual = len(dual) == study.problem.n_samples
        return {
            "rows": rows, "n_negative": int((~view.is_positive).sum()), "names": self._row_names(rows),
            "classes": [_class_name(entry) for entry in reversed(self.summary["data"]["classes"])],
            "strips": [{"name": p.name, "w": _rounded(p.unit), "b": p.offset} for p in reversed(study.planes)],
            "mistaken": {row: int(mistaken[row]) for row in rows if mistaken[row]},
            "multipliers": {row: rounded(float(dual[row]), 4) for row in rows if has_dual and dual[row]},
            "unit": "γ*" if view.has_margin else "", "margin": study.hard.lower if study.maximum is not None else None,
            "divisor": view.unit,
            "axes": [*map(_rounded, axes_of(view))],
        }  # fmt: skip

    def _row_names(self, rows: list[int]) -> list[str] | None:
        """Return the names of rows, or their numbers in the source; None where these are the numbers of the rows."""
        dataset = self.study.dataset
        if dataset.row_ids is not None:
            return [one_line(dataset.row_ids[row]) for row in rows]
        return None if dataset.rows is None else [str(int(dataset.rows[row])) for row in rows]

    def _run_data(self) -> dict[str, Any] | None:
        """Return the run that a script replays; None if products of weights and rows may exceed binary64."""
        if abs(self.drawn_rows.exponent) > _LARGEST_EXPONENT:
            return None
        replay = self.study.replay
        frames = [frame for frame in replay.frames if frame.n_mistakes > len(replay.rows)]
        most = max(_FEWEST_FRAMES, _FRAME_NUMBERS // self.study.problem.n_features)
        chosen = [frames[position] for position in thinned(len(frames), most)] if frames else []
        return {
            "rows": replay.rows.tolist(), "made": replay.n_mistakes, "scale": replay.scale,
            "bias": bool(self.study.run_problem.bias),
            "frames": [
                {"n": frame.n_mistakes, "w": _rounded(frame.w), "b": frame.b, "upper": frame.margin_upper}
                for frame in chosen
            ],
        }  # fmt: skip


def _class_name(entry: dict[str, Any]) -> str:
    return "the rest" if entry["label"] == "rest" else one_line(entry["label"], 24)


def _legend(view: DrawnRows) -> str:
    parts = []
    if view.reference is not None:
        parts.append(f"Solid green: {view.reference_name}{' and its band' if shows_band(view) else ''}.")
    if view.found is not None:
        parts.append("Dashed orange: the perceptron.")
    if len(view.strips) == 2:
        parts.append("Right: the distance of each row from both; grey lines join the marks of a row.")
    if len(view.marked):
        parts.append(f"Circled: {view.marked_name}.")
    return " ".join(parts)


def _figure(picture: Drawing) -> str:
    return f"<figure>{picture.markup}{caption_of(picture.caption)}</figure>"


def _rounded(values: Iterable[float]) -> list[float]:
    """Return numbers for a picture, which need no more digits."""
    return [float(f"{value:.9g}") for value in values]


_KEYS = "Rows: arrow keys go from one to the next"

_REPLAY = (
    '<div id="replay" class="replay" hidden><button type="button" id="play">▶ replay</button>'
    '<button type="button" id="back" aria-label="one mistake back">←</button>'
    '<button type="button" id="next" aria-label="one mistake further">→</button>'
    '<input type="range" id="step" min="0" max="1" value="1" aria-label="number of mistakes">'
    '<span id="step-said" role="status"></span></div>'
)
