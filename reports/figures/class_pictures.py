"""Every class against the rest and every pair, as a matrix."""

from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.displays import drawing
from maxmargin.reports.figures import canvas
from maxmargin.reports.phrasing import verdict_name
from maxmargin.text.number_formats import number, one_line, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study.class_study import ClassStudy, Contest

_MOST_CLASSES = 20
"""Largest number of classes that fit; of more classes the first ones are drawn."""

_MOST_WITH_NUMBERS = 10

_RING = 60
"""Area of rings, crosses and the marks of the legend, in square points."""

_CROSS: dict[str, Any] = {"color": drawing.PERCEPTRON, "marker": "x", "linewidths": 1.8}

_MARKS: dict[str, dict[str, Any]] = {
    "separable": {"color": drawing.MAXIMUM, "linewidths": 0},
    "quasi-separable": {"facecolors": "none", "edgecolors": drawing.PERCEPTRON, "linewidths": 1.8},
    "overlap": _CROSS,
    "not separable": _CROSS,
}


def classes(study: "ClassStudy") -> canvas.Picture:
    """Return the figure of the verdicts on every class and pair."""
    n_classes = len(study.dataset.classes)
    cut = f" The first {_MOST_CLASSES} classes are drawn." if n_classes > _MOST_CLASSES else ""
    return canvas.Picture(
        key="classes",
        title="Which classes can be told apart by a hyperplane",
        caption="Each class against the rest (first column) and against each other class. Discs grow with the "
        f"logarithm of the maximum margin.{cut}",
        alt=_alt(study),
        height=1.3 + 0.55 * min(n_classes, _MOST_CLASSES),
        draw=lambda figure: plot_classes(study, figure.add_subplot()),
    )


def _alt(study: "ClassStudy") -> str:
    parts = []
    for contests, what in ((study.one_vs_rest, "against the rest"), (study.pairs, "against each other")):
        answers = [_answer(contest) for contest in contests]
        counts = f"{answers.count('separable')} of {plural(len(contests), 'question')} are separable"
        n_quasi = answers.count("quasi-separable")
        parts.append(f"{what}, {counts}{f', {n_quasi} quasi-separable' if n_quasi else ''}")
    return f"Matrix of marks, one for each class and pair of classes: {'; '.join(parts)}."


def plot_classes(study: "ClassStudy", ax: "Axes") -> "Axes":
    """Draw one mark for each question: a disc that grows with the margin, a ring for quasi-separable, a cross else.

    Rows are classes; the first column is the rest, the others are the classes again.
    """
    classes = study.dataset.classes[:_MOST_CLASSES]
    cells = _cells(study)
    sizes = _sizes([contest for _, _, contest in cells])
    for (row, column, contest), size in zip(cells, sizes, strict=True):
        _mark(ax, column, row, contest, size, numbered=len(classes) <= _MOST_WITH_NUMBERS)
    ax.set_xticks(range(len(classes)), ["the rest", *(one_line(label, 16) for label in classes[:-1])])
    ax.set_yticks(range(len(classes)), [one_line(label, 24) for label in classes])
    ax.tick_params(length=0, bottom=False, labelbottom=False, labeltop=True)
    if len(classes) > 6 and max(len(str(label)) for label in classes) > 4:
        ax.tick_params(axis="x", rotation=30)
    ax.set(xlim=(-0.5, len(classes) - 0.5), ylim=(len(classes) - 0.4, -0.6))
    ax.spines[:].set_visible(False)
    ax.axvline(0.5, color=canvas.INK, linewidth=0.8, alpha=0.4)
    drawing.thin_grid(ax)
    _legend(ax, [contest for _, _, contest in cells])
    return ax


def _cells(study: "ClassStudy") -> "list[tuple[int, int, Contest]]":
    """Return (row, column, contest): the rest in column 0, the pair of classes i < j in row j, column i + 1."""
    position = {label: i for i, label in enumerate(study.dataset.classes[:_MOST_CLASSES])}
    rest = [(position[c.positive], 0, c) for c in study.one_vs_rest if c.positive in position]
    pairs = [
        (position[c.positive], position[c.negative] + 1, c)
        for c in study.pairs
        if c.positive in position and c.negative in position
    ]
    return rest + pairs


def _sizes(contests: "list[Contest]") -> list[float]:
    """Return areas that grow with the logarithm of the margin."""
    margins = np.array([contest.hard.lower for contest in contests])
    logs = np.log10(margins, where=margins > 0, out=np.full(len(margins), np.nan))
    if np.isnan(logs).all():
        return [0.0] * len(contests)
    low, high = np.nanmin(logs), np.nanmax(logs)
    shares = (logs - low) / (high - low) if high > low else np.ones_like(logs)
    return [float(size) for size in np.nan_to_num(40 + 280 * shares)]


def _answer(contest: "Contest") -> str:
    answer = contest.separability
    return verdict_name({"verdict": answer.verdict.value, "strictly_separable": answer.strictly_separable})


def _mark(ax: "Axes", x: int, y: int, contest: "Contest", size: float, *, numbered: bool) -> None:
    answer = _answer(contest)
    if answer == "undecided":
        ax.text(x, y, "?", ha="center", va="center")
        return
    ax.scatter(x, y, s=size if answer == "separable" else _RING, **_MARKS[answer])
    if answer == "separable" and numbered:
        margin = number(contest.hard.lower, 3)
        ax.annotate(margin, (x, y), (0, -13), textcoords="offset points", ha="center", va="center", fontsize=7.5)


def _legend(ax: "Axes", contests: "list[Contest]") -> None:
    answers = {_answer(contest) for contest in contests} & _MARKS.keys()
    for answer, mark in _MARKS.items():
        if answer in answers:
            label = f"{answer}, with γ*" if answer == "separable" else answer
            ax.scatter([], [], s=_RING, label=label, **mark)
    if answers:
        ax.legend(loc="upper right")
