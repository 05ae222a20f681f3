"""Every class against the rest and every pair, as a matrix of marks."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.displays import drawing
from maxmargin.displays.display import Display
from maxmargin.reports.captioned.captioned_display import CaptionedDisplay, stacked
from maxmargin.reports.phrasing import verdict_name
from maxmargin.reports.templates import wording
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.text.number_formats import one_line, plural, rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study.class_study import ClassStudy, Contest

# Largest number of classes that fit; of more classes the first ones are drawn.
_MOST_CLASSES = 20

_MOST_WITH_NUMBERS = 10

# Area of rings and crosses in square points.
_AREA = 60

_NUMBER: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7.5}

_CROSS = {"color": drawing.PERCEPTRON, "marker": "x", "linewidths": 1.8}

_MARKS: dict[str, dict[str, Any]] = {
    "separable": {"color": drawing.MAXIMUM, "linewidths": 0, "label": "separable, with γ*"},
    "quasi-separable": {"facecolors": "none", "edgecolors": drawing.PERCEPTRON, "linewidths": 1.8},
    "overlap": _CROSS,
    "not separable": _CROSS,
    "undecided": {"color": drawing.BOUND, "marker": "$?$"},
}


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class ClassMatrixDisplay(Display):
    """A mark for each question: a disc that grows with the margin, a ring for quasi-separable, a cross for overlap.

    Rows are classes; the first column is the rest, the others are the classes again.

    Attributes
    ----------
    names : tuple of str
        The names of the classes.
    cells : dict of (int, int) to Contest
        The questions by row and column.
    """

    names: tuple[str, ...]
    cells: "dict[tuple[int, int], Contest]"

    def _draw(self, ax: "Axes") -> None:
        for answer, mark in _MARKS.items():
            cells = [(row, column) for (row, column), contest in self.cells.items() if _answer(contest) == answer]
            if cells:
                y, x = np.transpose(cells)
                is_sized = answer == "separable"
                margins = np.array([self.cells[cell].hard.lower for cell in cells])
                ax.scatter(x, y, s=_areas(margins) if is_sized else _AREA, **{"label": answer, **mark})
                if is_sized and len(self.names) <= _MOST_WITH_NUMBERS:
                    for cell, margin in zip(cells, margins, strict=True):
                        ax.annotate(rounded(margin, 3), cell[::-1], (0, -13), textcoords="offset points", **_NUMBER)
        ax.set_xticks(range(len(self.names)), ["the rest", *(one_line(name, 16) for name in self.names[:-1])])
        ax.set_yticks(range(len(self.names)), [one_line(name, 24) for name in self.names])
        drawing.plain_texts(*ax.get_xticklabels(), *ax.get_yticklabels())
        ax.tick_params(length=0)
        if len(self.names) > 6 and max(map(len, self.names)) > 4:
            ax.tick_params(axis="x", rotation=30)
        ax.set(xlim=(-0.5, len(self.names) - 0.5), ylim=(len(self.names) - 0.4, -0.6))
        ax.spines[:].set_visible(False)
        ax.axvline(0.5, color=drawing.ink(ax), linewidth=0.8, alpha=0.4)
        drawing.thin_grid(ax)


def classes(study: "ClassStudy") -> CaptionedDisplay:
    """Return the figure of the verdicts on every class and pair."""
    drawn = study.dataset.classes[:_MOST_CLASSES]
    cut = f" The first {_MOST_CLASSES} classes are drawn." if len(study.dataset.classes) > _MOST_CLASSES else ""
    position = {label: i for i, label in enumerate(drawn)}
    cells = {(position[c.positive], 0): c for c in study.one_vs_rest if c.positive in position}
    for pair in study.pairs:  # the pair of classes i < j is in row j, column i + 1
        if pair.positive in position and pair.negative in position:
            cells[position[pair.positive], position[pair.negative] + 1] = pair
    return CaptionedDisplay(
        key="classes",
        title="Which classes can be told apart by a hyperplane",
        caption=wording("class_discs") + cut,
        alt=_alt(study),
        height=1.3 + 0.55 * len(drawn),
        draw=stacked([ClassMatrixDisplay(names=tuple(map(str, drawn)), cells=cells)]),
    )


def _alt(study: "ClassStudy") -> str:
    parts = []
    for contests, what in ((study.one_vs_rest, "against the rest"), (study.pairs, "against each other")):
        answers = [_answer(contest) for contest in contests]
        counts = f"{answers.count('separable')} of {plural(len(contests), 'question')} are separable"
        n_quasi = answers.count("quasi-separable")
        parts.append(f"{what}, {counts}{f', {n_quasi} quasi-separable' if n_quasi else ''}")
    return f"Matrix of marks, one for each class and pair of classes: {'; '.join(parts)}."


def _answer(contest: "Contest") -> str:
    answer = contest.separability
    return verdict_name({"verdict": answer.verdict.value, "strictly_separable": answer.strictly_separable})


def _areas(margins: Floats) -> Floats:
    """Return areas that grow with the logarithm of the margin; the smallest one if the margin rounds to 0."""
    logs = np.log10(margins, where=margins > 0, out=np.full(len(margins), np.nan))
    low, high = np.nanmin(logs, initial=np.inf), np.nanmax(logs, initial=-np.inf)
    shares = (logs - low) / (high - low) if high > low else np.ones_like(logs)
    return 40 + 280 * np.nan_to_num(shares)
