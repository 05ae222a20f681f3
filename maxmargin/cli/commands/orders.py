"""``maxmargin orders``: mistakes by the order of the rows, and by where the rows lie."""

import math
from dataclasses import asdict
from typing import Any

from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request
from maxmargin.text.progress import counting_shown, waiting
from maxmargin.theory.order_studies import order_study
from maxmargin.theory.translation_study import StudiedPoint, preparation_study, scale_study, translation_study

# Largest number of mistakes of a run after a translation, or at another bias scale.
_MOST_MISTAKES_OF_A_POINT = 100_000

_NO_STUDIES = dict.fromkeys(("scales", "shifts", "preparations"))


def orders(request: Request, *, shifts: bool, scales: bool, **options: Any) -> Exit:
    """Study the orders and, if they were asked for, translations and bias scales; print the results."""
    bias, data, limits = request.bias, request.prepared().dataset, request.limits
    options["rng"] = options.pop("seed")
    most = min(options["max_mistakes"], _MOST_MISTAKES_OF_A_POINT)
    asked: dict[str, Any] = {"bias_scale": options["bias_scale"], "max_mistakes": most}
    points = {}
    with waiting("moving the rows, or changing the bias scale", quiet=request.options.quiet):
        if scales:
            points["scales"] = scale_study(data.X, data.y, max_mistakes=most, time_limit=limits.share(4))
        if shifts:
            raw = request.dataset  # the preparations are those of the data as read
            points["shifts"] = translation_study(data.X, data.y, time_limit=limits.share(3), **asked)
            points["preparations"] = preparation_study(raw.X, raw.y, time_limit=limits.share(2), **asked)
    with counting_shown("trying orders of the rows", quiet=request.options.quiet) as on_progress:
        study = order_study(data.X, data.y, bias=bias, time_limit=limits.share(), on_progress=on_progress, **options)
    found = {name: [asdict(point) for point in part] for name, part in points.items()}
    request.answer(
        "orders",
        lambda: {"prepare": request.options.prepare, **study.fields(), **_NO_STUDIES, **found},
        lambda: "\n".join([study.summary(), *_points_text(points)]),
    )
    return Exit.UNDECIDED if study.is_cut else Exit.OK


def _points_text(points: dict[str, tuple[StudiedPoint, ...]]) -> list[str]:
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
