"""Write a perceptron run step by step: CSV for programs, Markdown and LaTeX for notes and slides."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.escaping import markdown
from maxmargin.text.outputs import replacing_text

if TYPE_CHECKING:
    from maxmargin.solvers.perceptron.exact import Step

MOST_STEPS = 10_000
"""Presentations written, unless another number is asked for."""

_TITLES = ("epoch", "row", "x", "y", "w.x+b", "prediction", "mistake", "w", "b")
_TEX_TITLES = ("epoch", "row", "$x$", "$y$", r"$w\cdot x+b$", r"$\hat y$", "mistake", "$w$", "$b$")


def check_suffix(path: Path) -> None:
    """Raise unless the path ends in .csv, .md or .tex.

    Raises
    ------
    InvalidOptionError
    """
    if path.suffix not in _WRITERS:
        raise InvalidOptionError(f"{path}: unknown suffix {path.suffix!r}; expected {', '.join(_WRITERS)}")


def write_trace(
    path: Path,
    steps: "Iterable[Step]",
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
        Taken one by one; no more than are written, and one.
    feature_names : tuple of str
    most_steps : int
        Presentations written at most.
    on_step : callable, optional
        Called with the number of presentations written so far, after each.

    Raises
    ------
    InvalidOptionError
        If the path ends in something else.
    OSError
        If the file cannot be written.
    """
    check_suffix(path)
    counted = _Counted(steps, most_steps, on_step)
    with replacing_text(path) as file:
        for line in _WRITERS[path.suffix](counted, feature_names):
            file.write(f"{line}\n")
    return counted.n_steps, counted.n_mistakes, counted.is_whole


class _Counted:
    """The first steps, counted on their way."""

    def __init__(self, steps: "Iterable[Step]", most: int, on_step: Callable[[int], None] | None) -> None:
        self._steps, self._most, self._on_step = steps, most, on_step
        self.n_steps = self.n_mistakes = 0
        self.is_whole = True

    def __iter__(self) -> "Iterator[Step]":
        for step in self._steps:
            if self.n_steps == self._most:
                self.is_whole = False
                return
            self.n_steps += 1
            self.n_mistakes += step.mistake
            yield step
            if self._on_step is not None:
                self._on_step(self.n_steps)


def exact_text(value: Fraction) -> str:
    """Return the number as an integer, a terminating decimal, or p/q.

    Examples
    --------
    >>> [exact_text(Fraction(v)) for v in ("3", "-0.25", "1/3")]
    ['3', '-0.25', '1/3']
    """
    power = _decimal_places(value.denominator)
    if power is None:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**power // value.denominator).rjust(power + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (digits if power == 0 else f"{digits[:-power]}.{digits[-power:]}")


def _decimal_places(denominator: int) -> int | None:
    """Return the least k for which the denominator divides 10**k, or None."""
    counts = []
    for prime in (2, 5):
        count = 0
        while denominator % prime == 0:
            denominator //= prime
            count += 1
        counts.append(count)
    return max(counts) if denominator == 1 else None


def _csv(steps: "Iterable[Step]", names: tuple[str, ...]) -> Iterator[str]:
    xs, ws = [f"x:{name}" for name in names], [f"w:{name}" for name in names]
    yield _csv_line(["epoch", "row", *xs, "y", "w.x+b", "prediction", "mistake", *ws, "b"])
    for s in steps:
        x, w = [exact_text(v) for v in s.x], [exact_text(v) for v in s.w]
        yield _csv_line(
            [s.epoch, s.row, *x, s.y, exact_text(s.score), s.prediction, int(s.mistake), *w, exact_text(s.b)]
        )


def _csv_line(cells: list[object]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)  # what ends a line is quoted inside a cell
    return buffer.getvalue().removesuffix("\r\n")


def _markdown(steps: "Iterable[Step]", names: tuple[str, ...]) -> Iterator[str]:
    yield f"Features: {', '.join(map(markdown, names))}. `w` and `b` are those after the presentation."
    yield ""
    yield f"| {' | '.join(_TITLES)} |"
    yield "|" + "---:|" * len(_TITLES)
    for step in steps:
        yield f"| {' | '.join(_cells(step))} |"


def _tex(steps: "Iterable[Step]", names: tuple[str, ...]) -> Iterator[str]:
    yield r"\begin{tabular}{rrlrrrrlr}"
    yield " & ".join(_TEX_TITLES) + r" \\ \hline"
    for step in steps:
        yield " & ".join(f"${cell}$" if cell[:1] in tuple("+-(0123456789") else cell for cell in _cells(step)) + r" \\"
    yield r"\end{tabular}"


def _cells(step: "Step") -> list[str]:
    return [
        str(step.epoch),
        str(step.row),
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


_WRITERS: dict[str, Callable[["Iterable[Step]", tuple[str, ...]], Iterator[str]]] = {
    ".csv": _csv,
    ".md": _markdown,
    ".tex": _tex,
}
