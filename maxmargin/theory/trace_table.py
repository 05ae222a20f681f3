"""Write the trace of a perceptron's mistakes: CSV for programs, Markdown and LaTeX for notes and slides."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmargin.solvers.basics.printable import shown
from maxmargin.text.escaping import markdown
from maxmargin.text.outputs import write_text
from maxmargin.theory.trace import check_suffix

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
    check_suffix(path)
    columns = {**trace.columns(), "row": rows}
    lines = [dict(zip(columns, values, strict=True)) for values in zip(*map(list, columns.values()), strict=True)]
    write_text(path, "\n".join(_WRITERS[path.suffix](trace, lines)) + "\n")
    return len(lines)


def _csv(trace: "MistakeTrace", lines: list[dict[str, Any]]) -> Iterator[str]:
    yield ",".join(_TITLES)
    for line in lines:
        yield ",".join(_exact(name, value) for name, value in line.items())


def _markdown(trace: "MistakeTrace", lines: list[dict[str, Any]]) -> Iterator[str]:
    yield markdown(trace.summary())
    yield ""
    yield f"| {' | '.join(title for title, _ in _TITLES.values())} |"
    yield "|" + "---:|" * len(_TITLES)
    for line in lines:
        yield f"| {' | '.join(_short(name, value) for name, value in line.items())} |"


def _tex(trace: "MistakeTrace", lines: list[dict[str, Any]]) -> Iterator[str]:
    yield f"% {shown(trace.summary())}"
    yield rf"\begin{{tabular}}{{{'r' * len(_TITLES)}}}"
    yield " & ".join(title for _, title in _TITLES.values()) + r" \\ \hline"
    for line in lines:
        cells = (_short(name, value) for name, value in line.items())
        yield " & ".join(f"${cell}$" if cell else "" for cell in cells) + r" \\"
    yield r"\end{tabular}"


def _exact(name: str, value: Any) -> str:
    """Return the number so that it reads back as it is; nothing where there is none."""
    return "" if _is_missing(name, value) else repr(int(value) if name in _WHOLE else float(value))


def _short(name: str, value: Any) -> str:
    if _is_missing(name, value):
        return ""
    return str(int(value)) if name in _WHOLE else f"{value:.6g}"


_WHOLE = ("n_mistakes", "row")


def _is_missing(name: str, value: Any) -> bool:
    return bool(value < 0) if name in _WHOLE else not math.isfinite(value)


_WRITERS: dict[str, Callable[["MistakeTrace", list[dict[str, Any]]], Iterator[str]]] = {
    ".csv": _csv,
    ".md": _markdown,
    ".tex": _tex,
}
