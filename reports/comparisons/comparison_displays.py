"""The figures of a comparison: performance profiles, and mistakes against Novikoff's bound."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.displays import drawing
from maxmargin.reports.captioned.captioned_display import INK, CaptionedDisplay
from maxmargin.reports.comparisons import margin_times
from maxmargin.reports.comparisons.estimates import TAUS, profile_steps
from maxmargin.reports.comparisons.margin_times import MethodTimes
from maxmargin.reports.comparisons.mistake_laws import FIGURE, MistakeLaw
from maxmargin.reports.comparisons.question_profiles import QuestionProfile
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import percent, plural, rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Seven colours that colour-blind readers tell apart (Okabe and Ito 2008).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", INK)

# Twelve shapes: with seven colours, the first 84 methods have marks of their own.
_MARKERS = "os^DvPX*<>hp"

_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.2, 1.2, 1.2)))

# Height of a line of the legend in inches.
_LEGEND_LINE = 0.19

# Number of characters of a line of the legend, as `drawing.add_legend` counts them.
_NARROWEST_LEGEND = 84

_HANDLE = 6

# Largest ratio at which a profile is drawn.
_LARGEST_TAU = 1e4

# Least factor by which an axis extends beyond the points, and least fraction of the logarithm of their range.
_ROOM, _ROOM_OF_SPAN = 1.3, 0.04

# Largest number of methods that the alternative text of a figure describes.
_MOST_IN_ALT = 6


def pictures(
    profiles: Sequence[QuestionProfile], laws: Sequence[MistakeLaw], times: Sequence[MethodTimes]
) -> dict[str, CaptionedDisplay]:
    """Return the figures by their keys, in the order of the report."""
    drawn = [times_picture(times)] if margin_times.has_both_kinds(margin_times.races_of(times)) else []
    drawn += [profile_picture(profile) for profile in profiles if profile.can_be_drawn]
    if any(law.points for law in laws):
        drawn.append(mistakes_picture(laws))
    return {picture.key: picture for picture in drawn}


def profile_picture(profile: QuestionProfile) -> CaptionedDisplay:
    """Return the figure of the profiles of one question."""
    best = "time of the fastest method" if profile.kind == "time" else "proven maximum margin γ*"
    shares = (profile.ratios <= 1).mean(axis=0).tolist()
    at_best = ", ".join(
        f"{label} {percent(rho)}" for label, rho in zip(profile.labels[:_MOST_IN_ALT], shares, strict=False)
    )
    up_to, below = (
        "",
        "" if profile.kind == "time" else " A method whose curve ends below 1 does not separate the rest.",
    )
    if _largest_tau(profile) >= _LARGEST_TAU:
        up_to = f", up to τ = {rounded(_LARGEST_TAU)}"
    return CaptionedDisplay(
        key=profile.key,
        title=f"Performance profiles of the {profile.kind}: {profile.question}",
        caption=f"Fraction of {plural(len(profile.ratios), 'instance')} on which a method is within the factor τ "
        f"of the {best}{up_to}.{below}",
        alt=f"Step curves over the factor τ, one for each of {plural(len(profile.labels), 'method')}. At τ = 1: "
        f"{at_best}{_and_more(len(profile.labels))}.",
        height=3.6 + _LEGEND_LINE * _legend_lines(profile.labels),
        draw=lambda figure: plot_profile(profile, figure.add_subplot()),
    )


def _largest_tau(profile: QuestionProfile) -> float:
    finite = profile.ratios[np.isfinite(profile.ratios)]
    return min(_ROOM * float(finite.max(initial=TAUS[-1])), _LARGEST_TAU)


def plot_profile(profile: QuestionProfile, ax: "Axes") -> None:
    """Draw the profile of every method as a step curve over a logarithmic axis."""
    largest = _largest_tau(profile)
    for position, label in enumerate(profile.labels):
        taus, rhos = profile_steps(profile.ratios[:, position], largest)
        ax.step(
            taus, rhos, where="post", label=label, linestyle=_DASHES[position % len(_DASHES)], markersize=4,
            markevery=_marked(len(taus), position), clip_on=False, **_colour_and_marker(position),
        )  # fmt: skip
    drawing.log_scale(ax, "x", span=largest)
    what = "times the time of the fastest" if profile.kind == "time" else "γ* divided by the margin"
    ax.set(xlim=(1, largest), ylim=(0, 1.03), xlabel=f"τ: {what}", ylabel="ρ(τ), fraction of the instances")
    drawing.finish(ax)


def mistakes_picture(laws: Sequence[MistakeLaw]) -> CaptionedDisplay:
    """Return the figure of the mistakes of all online methods on all separable data sets."""
    shown = [law for law in laws if law.points]
    n_data = len({point.data for law in shown for point in law.points})
    exponents = "; ".join(
        f"{law.label} {'no exponent' if law.exponent.value is None else f'exponent {rounded(law.exponent.value, 3)}'}"
        for law in shown[:_MOST_IN_ALT]
    )
    return CaptionedDisplay(
        key=FIGURE,
        title="Mistakes against R²/γ*²",
        caption=wording("mistakes_against_novikoff"),
        alt=f"Marks of {plural(len(shown), 'method')} on {plural(n_data, 'data set')}, mistakes over R²/γ*² on "
        f"logarithmic axes, with the line of Novikoff's bound. In R/γ*: {exponents}{_and_more(len(shown))}.",
        height=4.2 + _LEGEND_LINE * _legend_lines([_NOVIKOFF, *(law.label for law in shown)]),
        draw=lambda figure: plot_mistake_laws(shown, figure.add_subplot()),
    )


def times_picture(methods: Sequence[MethodTimes]) -> CaptionedDisplay:
    """Return the figure of the times of all methods to a hyperplane that separates."""
    n_data = len({point.data for times in methods for point in times.points})
    return CaptionedDisplay(
        key=margin_times.FIGURE,
        title="Times to a separating hyperplane",
        caption=wording("times_to_separate"),
        alt=f"Marks of {plural(len(methods), 'method')} on {plural(n_data, 'data set')}, seconds over R²/γ*² on "
        "logarithmic axes.",
        height=4.2 + _LEGEND_LINE * _legend_lines([times.label for times in methods]),
        draw=lambda figure: plot_times(methods, figure.add_subplot()),
    )


def plot_times(methods: Sequence[MethodTimes], ax: "Axes") -> None:
    """Draw the times of every method with marks of its own."""
    for position, times in enumerate(methods):
        x, y = [point.difficulty**2 for point in times.points], [point.seconds for point in times.points]
        ax.plot(x, y, label=times.label, **_style(position))
    points = [point for times in methods for point in times.points]
    _logarithmic(ax, _ends([point.difficulty**2 for point in points]), _ends([point.seconds for point in points]))
    ax.set(ylabel="seconds")
    drawing.finish(ax)


def _style(position: int) -> dict[str, Any]:
    return {**_colour_and_marker(position), "linestyle": "", "markersize": 5.5, "markeredgewidth": 1.1, "alpha": 0.85}


def _logarithmic(ax: "Axes", x_ends: tuple[float, float], y_ends: tuple[float, float]) -> None:
    ax.set(xlim=x_ends, ylim=y_ends, xlabel="R²/γ*²")  # first, since a scale finds no ends for a single point
    drawing.log_scale(ax, "x", span=x_ends[1] / x_ends[0])
    drawing.log_scale(ax, "y", span=y_ends[1] / y_ends[0])


_NOVIKOFF = "Novikoff: R²/γ*²"


def plot_mistake_laws(laws: Sequence[MistakeLaw], ax: "Axes") -> None:
    """Draw the mistakes of every method with marks of its own, and the line of Novikoff's bound."""
    for position, law in enumerate(laws):
        whole = [point for point in law.points if not point.is_lower_bound]
        style = _style(position)
        # The mark of the legend is full even where every point is hollow.
        ax.plot([point.difficulty**2 for point in whole], [point.mistakes for point in whole], label=law.label, **style)
        stopped = [point for point in law.points if point.is_lower_bound]
        x, y = [point.difficulty**2 for point in stopped], [point.mistakes for point in stopped]
        ax.plot(x, y, markerfacecolor="none", **style)
    points = [point for law in laws for point in law.points]
    x_ends = _ends([point.difficulty**2 for point in points])
    # The line is always seen: its value at the left end is within the vertical axis.
    y_ends = _ends([*(point.mistakes for point in points), min(point.difficulty for point in points) ** 2])
    line = np.geomspace(*x_ends, 3)
    ax.plot(line, line, color=INK, linewidth=1.0, linestyle=(0, (4, 2)), label=_NOVIKOFF, zorder=1)
    _logarithmic(ax, x_ends, y_ends)
    ax.set(ylabel="mistakes")
    drawing.finish(ax)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a logarithmic axis, at least one power of ten apart."""
    room = max(_ROOM, (max(values) / min(values)) ** _ROOM_OF_SPAN)
    low, high = min(values) / room, max(values) * room
    widening = max(1.0, math.sqrt(10 / (high / low)))
    return low / widening, high * widening


def _and_more(n: int) -> str:
    return f"; and {plural(n - _MOST_IN_ALT, 'more method')}" if n > _MOST_IN_ALT else ""


def _legend_lines(labels: Sequence[str]) -> int:
    """Return how many lines the legend above the axes takes."""
    n_columns = max(1, _NARROWEST_LEGEND // (max(map(len, labels)) + _HANDLE))
    return -(-len(labels) // n_columns)


def _marked(n_steps: int, position: int) -> tuple[int, int]:
    """Return the first marked point of a curve and the distance of the next; curves differ in their first point."""
    every = max(1, n_steps // 6)
    return position % every, every


def _colour_and_marker(position: int) -> dict[str, Any]:
    return {"color": _COLOURS[position % len(_COLOURS)], "marker": _MARKERS[position % len(_MARKERS)]}
