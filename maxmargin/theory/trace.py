"""Write a perceptron run step by step, in exact numbers."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from maxmargin.text.escaping import markdown
from maxmargin.text.tables import write_table

if TYPE_CHECKING:
    from maxmargin.solvers.perceptron.exact import Step

MOST_STEPS = 10_000
"""Largest number of presentations that are written by default."""

_TITLES = ("epoch", "row", "x", "y", "w.x+b", "prediction", "mistake", "w", "b")
_TEX_TITLES = ("epoch", "row", "$x$", "$y$", r"$w\cdot x+b$", r"$\hat y$", "mistake", "$w$", "$b$")


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
    counted = _Counted(steps, most_steps, on_step)
    if path.suffix == ".csv":
        xs, ws = [f"x:{name}" for name in feature_names], [f"w:{name}" for name in feature_names]
        head = ["epoch", "row", *xs, "y", "w.x+b", "prediction", "mistake", *ws, "b"]
        write_table(path, head, map(_numbers, counted))
    elif path.suffix == ".tex":
        write_table(path, _TEX_TITLES, map(_cells, counted), alignment="rrlrrrrlr")
    else:
        features = f"Features: {', '.join(map(markdown, feature_names))}."
        write_table(
            path, _TITLES, map(_cells, counted), above=f"{features} `w` and `b` are those after the presentation."
        )
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
    power = _decimal_positions(value.denominator)
    if power is None:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**power // value.denominator).rjust(power + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (digits if power == 0 else f"{digits[:-power]}.{digits[-power:]}")


def _decimal_positions(denominator: int) -> int | None:
    """Return the least k for which the denominator divides 10**k, or None."""
    counts = []
    for prime in (2, 5):
        count = 0
        while denominator % prime == 0:
            denominator //= prime
            count += 1
        counts.append(count)
    return max(counts) if denominator == 1 else None


def _numbers(step: "Step") -> list[object]:
    """Return the cells for a program, a number each."""
    x, w = map(exact_text, step.x), map(exact_text, step.w)
    mistake, score, b = int(step.mistake), exact_text(step.score), exact_text(step.b)
    return [step.epoch, step.row, *x, step.y, score, step.prediction, mistake, *w, b]


def _cells(step: "Step") -> list[object]:
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
