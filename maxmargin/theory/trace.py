"""Write a perceptron's run to a table: every presentation in exact numbers, or Novikoff's proof at its mistakes.

CSV is for programs, Markdown and LaTeX are for notes and slides.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.perceptron.exact import Step
from maxmargin.text.escaping import markdown
from maxmargin.text.tables import write_table

# Largest number of presentations that are written by default.
MOST_STEPS = 10_000

_TITLES = ("epoch", "row", "x", "y", "w.x+b", "prediction", "mistake", "w", "b")
_TEX_TITLES = ("epoch", "row", "$x$", "$y$", r"$w\cdot x+b$", r"$\hat y$", "mistake", "$w$", "$b$")

# Columns of the trace of mistakes, with their headings in Markdown and in LaTeX; in CSV it is the name.
MISTAKE_TITLES = {
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

# Columns of whole numbers, in which a negative number means that there is none.
_WHOLE = ("n_mistakes", "row")


def write_trace(
    path: Path,
    steps: Iterable[Step],
    feature_names: tuple[str, ...],
    *,
    most_steps: int = MOST_STEPS,
    on_step: Callable[[int], None] | None = None,
) -> tuple[int, int, bool]:
    """Write one line a presentation and return ``(lines, mistakes, whether all steps fitted)``.

    Numbers are exact: terminating decimals where the input has them, else fractions p/q.

    Parameters
    ----------
    path : path
        Ends in .csv, .md or .tex.
    steps : iterable of Step
        Taken one at a time, one more than are written.
    feature_names : tuple of str
    most_steps : int
        Largest number of presentations that are written.
    on_step : callable, optional
        Called with the number of presentations written so far, after each.

    Raises
    ------
    InvalidOptionError
        If the path ends in something else.
    OSError
        If the file cannot be written.
    """
    steps, n_steps, n_mistakes = iter(steps), 0, 0

    def counted() -> Iterator[Step]:
        nonlocal n_steps, n_mistakes
        for step in islice(steps, most_steps):
            n_steps += 1
            n_mistakes += step.mistake
            yield step
            if on_step is not None:
                on_step(n_steps)

    if path.suffix == ".csv":
        xs, ws = [f"x:{name}" for name in feature_names], [f"w:{name}" for name in feature_names]
        head = ["epoch", "row", *xs, "y", "w.x+b", "prediction", "mistake", *ws, "b"]
        write_table(path, head, map(_numbers, counted()))
    elif path.suffix == ".tex":
        write_table(path, _TEX_TITLES, map(_cells, counted()), alignment="rrlrrrrlr")
    else:
        features = f"Features: {', '.join(map(markdown, feature_names))}."
        write_table(
            path, _TITLES, map(_cells, counted()), above=f"{features} `w` and `b` are those after the presentation."
        )
    return n_steps, n_mistakes, next(steps, None) is None


def exact_text(value: Fraction) -> str:
    """Return the number as an integer, a terminating decimal, or p/q.

    Examples
    --------
    >>> [exact_text(Fraction(v)) for v in ("3", "-0.25", "1/3")]
    ['3', '-0.25', '1/3']
    """
    places = value.denominator.bit_length()  # no prime divides the denominator more often
    scaled, rest = divmod(abs(value.numerator) * 10**places, value.denominator)
    if rest:
        return str(value)
    digits = str(scaled).rjust(places + 1, "0")
    return f"{'-' * (value < 0)}{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")


def _numbers(step: Step) -> list[object]:
    """Return the cells for a program, a number each."""
    x, w = map(exact_text, step.x), map(exact_text, step.w)
    mistake, score, b = int(step.mistake), exact_text(step.score), exact_text(step.b)
    return [step.epoch, step.row, *x, step.y, score, step.prediction, mistake, *w, b]


def _cells(step: Step) -> list[object]:
    """Return the cells for a reader, with vectors in brackets."""
    return [
        step.epoch,
        step.row,
        _vector(step.x),
        f"{step.y:+d}",
        exact_text(step.score),
        f"{step.prediction:+d}" if step.prediction else "0",
        "yes" if step.mistake else "",
        _vector(step.w),
        exact_text(step.b),
    ]


def _vector(values: tuple[Fraction, ...]) -> str:
    return f"({', '.join(exact_text(value) for value in values)})"


def write_mistake_trace(path: Path, columns: Mapping[str, Any], summary: str) -> int:
    """Write one line a traced mistake, and return how many.

    Parameters
    ----------
    path : path
        Ends in .csv, .md or .tex.
    columns : mapping of str to sequence of float
        As in `MistakeTrace.columns`; row -1 means that the row is not known.
    summary : str
        The text above the table, except in CSV.

    Raises
    ------
    InvalidOptionError
        If the path ends in something else.
    """
    titles, above, number = list(columns), "", repr
    if path.suffix != ".csv":
        is_latex, number = path.suffix == ".tex", "{:.6g}".format
        titles = [MISTAKE_TITLES[name][is_latex] for name in columns]
        above = printable(summary) if is_latex else markdown(summary)
    cells = [_texts(name, values, number) for name, values in columns.items()]
    write_table(path, titles, zip(*cells, strict=True), above=above)
    return len(columns["row"])


def _texts(name: str, values: Iterable[float], number: Callable[[float], str]) -> list[str]:
    """Return the cells of a column, empty where there is no number."""
    if name in _WHOLE:
        return ["" if value < 0 else str(int(value)) for value in values]
    return [number(float(value)) if math.isfinite(value) else "" for value in values]
