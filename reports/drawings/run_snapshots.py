"""Small drawings of a run after some of its mistakes, for readers without scripts."""

import numpy as np

from maxmargin.reports.drawings.row_views import HEIGHT, WIDTH, line_in_scatter
from maxmargin.reports.drawings.svg import Sheet
from maxmargin.reports.study.drawn_rows import DrawnRows
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.text.number_formats import plural


def run_snapshots(scene: DrawnRows, states: list[tuple[int, Floats, float]]) -> str:
    """Return a drawing for each state (number of mistakes, w, b) over the rows of the scatter plot."""
    pictures = []
    for n_mistakes, w, b in states:
        sheet = Sheet(f"moment-{n_mistakes}", WIDTH, HEIGHT)
        sheet.raw('<use href="#rows-points"/>')
        ends = line_in_scatter(scene, w, b)
        if ends is not None:
            sheet.curve(ends, "plane perceptron")
        title = f"After {plural(n_mistakes, 'mistake')}"
        pictures.append(f"<figure>{sheet.markup(title, title)}<figcaption>{title}.</figcaption></figure>")
    return "".join(pictures)


def states_after_mistakes(rows: list[int], X: Floats, signs: Floats, scale: float) -> list[tuple[int, Floats, float]]:
    """Return w and b after 1, 2, 3, half of and all the mistakes, made on these rows in this order."""
    n = len(rows)
    wanted = sorted({1, 2, 3, n // 2, n} & set(range(1, n + 1)))
    steps = X * signs[:, None]
    found = []
    for k in wanted:
        with np.errstate(over="ignore", invalid="ignore"):
            w = steps[:k].sum(axis=0)
        found.append((k, w, float(signs[:k].sum()) * scale * scale))
    return found
