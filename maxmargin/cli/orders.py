"""``maxmargin orders``: mistakes by the order of the rows, and by where the rows lie."""

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from maxmargin.cli.exits import Exit
from maxmargin.cli.options import prepared
from maxmargin.cli.output import data_fields, headline, print_json, print_text, waiting
from maxmargin.solvers.basics.limits import Limits
from maxmargin.theory.order_studies import order_study
from maxmargin.theory.translation_study import preparation_study, scale_study, translation_study

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxmargin.data.dataset import Dataset
    from maxmargin.theory.translation_study import StudiedPoint

_MOST_MISTAKES_OF_A_POINT = 100_000
"""Limit of every run after a shift, or at another scale."""


def orders(
    dataset: "Dataset",
    *,
    bias: bool,
    prepare: str,
    shifts: bool,
    scales: bool,
    time_limit: float | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> Exit:
    """Study the orders and whatever else was asked for, and print it."""
    data, limits = prepared(dataset, prepare), Limits(time_limit=time_limit)
    with waiting("moving the rows, or changing the bias scale", quiet=quiet):
        points = _points(
            dataset, data, options["bias_scale"], options["max_mistakes"], limits, shifts=shifts, scales=scales
        )
    with _counted(quiet=quiet) as on_progress:
        study = order_study(data.X, data.y, bias=bias, time_limit=limits.share(), on_progress=on_progress, **options)
    if as_json:
        found = {name: [asdict(point) for point in part] for name, part in points.items()}
        print_json("orders", {**data_fields(dataset), "bias": bias, "prepare": prepare, **study.fields(), **found})
    else:
        print_text(headline(dataset), "\n".join([study.summary(), *_points_text(points)]))
    return Exit.OK


def _points(
    dataset: "Dataset",
    data: "Dataset",
    bias_scale: float | Literal["best"],
    max_mistakes: int,
    limits: Limits,
    *,
    shifts: bool,
    scales: bool,
) -> "dict[str, tuple[StudiedPoint, ...]]":
    """Return the points that were asked for; the preparations are those of the data as read."""
    most = min(max_mistakes, _MOST_MISTAKES_OF_A_POINT)
    points = {}
    if scales:
        points["scales"] = scale_study(data.X, data.y, max_mistakes=most, time_limit=limits.share(4))
    if shifts:
        options: dict[str, Any] = {"bias_scale": bias_scale, "max_mistakes": most}
        points["shifts"] = translation_study(data.X, data.y, time_limit=limits.share(3), **options)
        points["preparations"] = preparation_study(dataset.X, dataset.y, time_limit=limits.share(2), **options)
    return points


@contextmanager
def _counted(*, quiet: bool) -> "Iterator[Callable[[int, int], None] | None]":
    """Count finished orders on stderr, on a terminal; elsewhere say now and again that there is work."""
    if quiet or not sys.stderr.isatty():
        with waiting("trying orders of the rows", quiet=quiet):
            yield None
        return
    try:
        yield lambda done, n: print(f"\r\x1b[K{done:,} of {n:,} orders", end="", file=sys.stderr, flush=True)
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _points_text(points: "dict[str, tuple[StudiedPoint, ...]]") -> list[str]:
    titles = {"shifts": "moved by so many means", "preparations": "prepared", "scales": "at another bias scale"}
    lines = []
    for name, part in points.items():
        lines.append(f"{titles[name]}: mistakes; Novikoff's bound; maximum margin at most")
        for point in part:
            what = {"shifts": point.shift, "preparations": point.preparation, "scales": point.bias_scale}[name]
            least = "" if point.converged else "at least "
            bound = repr(point.novikoff) if math.isfinite(point.novikoff) else "none"
            lines.append(f"  {what}: {least}{point.n_mistakes:,}; {bound}; {point.margin_upper!r}")
    return lines
