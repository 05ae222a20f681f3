"""Write the trace of a perceptron's mistakes: CSV for programs, Markdown and LaTeX for notes and slides."""

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from maxmargin.solvers.basics.printable import shown
from maxmargin.text.escaping import markdown
from maxmargin.text.tables import write_table

if TYPE_CHECKING:
    from maxmargin.theory.mistake_traces import MistakeTrace

_TITLES = {
    "n_mistakes": ("M", "$M$"),
    "row": ("row", "row"),
    "w_dot_u": ("w.u", r"$w\cdot u$"),
    "w_dot_u_at_least": ("M g", r"$Mg$"),
    "norm": ("norm of w", r"$\|w\|$"),
    "cosine": ("cos(w, u)", r"$\cos(w,u)$"),
    "root_of_squares": ("sqrt(sum of squares)", r"$\sqrt{\sum\|x\|^2}$"),
    "norm_at_most": ("sqrt(M) R", r"$\sqrt{M}R$"),
    "potential": ("P", "$P$"),
    "potential_drop": ("fall of P / (R^2/2)", r"$(P_0-P)/(R^2/2)$"),
    "lower": ("achieved margin", r"$\min y\,w\cdot x/\|w\|$"),
    "upper": ("norm of w / M", r"$\|w\|/M$"),
    "margin": ("achieved margin, user's space", r"$\min y(w\cdot x+b)/\|w\|$"),
    "margin_upper": ("upper bound, user's space", r"$\|p-q\|/2$"),
}
"""The column's heading in Markdown and in LaTeX; in CSV it is its name."""

_WHOLE = ("n_mistakes", "row")
"""Columns of whole numbers, where a negative one stands for none."""


def write_mistake_trace(path: Path, trace: "MistakeTrace", rows: Sequence[int]) -> int:
    """Write one line a traced mistake, and return how many.

    Parameters
    ----------
    path : path
        Ends in .csv, .md or .tex.
    trace : MistakeTrace
    rows : sequence of int
        What the rows are called, in place of ``trace.row``; -1 is none.

    Raises
    ------
    InvalidOptionError
        If the path ends in something else.
    """
    columns = {**trace.columns(), "row": rows}
    titles, summary, number = list(columns), "", repr
    if path.suffix != ".csv":
        is_latex, number = path.suffix == ".tex", "{:.6g}".format
        titles = [_TITLES[name][is_latex] for name in columns]
        summary = shown(trace.summary()) if is_latex else markdown(trace.summary())
    cells = [_texts(name, values, number) for name, values in columns.items()]
    write_table(path, titles, zip(*cells, strict=True), above=summary)
    return len(rows)


def _texts(name: str, values: Iterable[float], number: Callable[[float], str]) -> list[str]:
    """Return the cells of a column, empty where there is no number."""
    if name in _WHOLE:
        return ["" if value < 0 else str(int(value)) for value in values]
    return [number(float(value)) if math.isfinite(value) else "" for value in values]
