"""The contents of the rulers of a two-class page: margins and mistakes, or errors if no hyperplane separates."""

import math
from collections.abc import Iterable

from maxmargin.reports.drawings.rulers import Ruler, RulerBand, RulerMark, nested, spread
from maxmargin.reports.drawings.scales import LogScale, Scale, count_ticks
from maxmargin.reports.phrasing import Report, fewest_errors, holding_bounds, novikoff
from maxmargin.reports.sections.shared import margin_digits
from maxmargin.text.number_formats import count, floor_of, listed, percent, plural, rounded, shown_interval, upper_end

# Factor by which a bound may exceed all other marks; a larger bound is an arrow at the end of the ruler.
_FAR = 1e3

# Powers of ten beyond which no tick stands: they are no binary64 numbers.
_MOST_DECADES = 300

_ROOM = 1.6
# Least upper end of a ruler of which only the interval is known.
_LEAST_END = 1e-300

# Least margin of a soft margin that has a tick, as a share of the smaller of the labelled margins.
_LEAST_TICK = 1e-3

# Least ratio of the ends of a logarithmic ruler.
_LEAST_SPAN = 8.0

# Ratio of two counts above which their ruler is logarithmic.
_FAR_APART = 12.0


def rulers_of(report: Report) -> tuple[Ruler, ...]:
    """Return the rulers of the page."""
    if report["strictly_separable"]:
        has_margin = report["hard_margin"]["lower"] > 0
        return (*((_margins(report),) if has_margin else _undecided(report)), _mistakes(report))
    if report["strictly_separable"] is False:
        return (_errors(report),)
    return _undecided(report)


def _margins(report: Report) -> Ruler:
    best, run = report["hard_margin"]["lower"], report["perceptron"]
    achieved = run["margin"] if _separates(run) else None
    marks = [
        RulerMark(best, f"γ* = {margin_digits(report['hard_margin'], 7)}", "truth", name="truth"),
        RulerMark(achieved, _achieved(report), "perceptron", name="achieved"),
    ]
    if run["margin_upper"] is not None:
        text = f"at most {upper_end(run['margin_upper'], 3)}, the mistakes prove"
        marks.append(RulerMark(run["margin_upper"], text, "bound", name="upper"))
    soft = dict.fromkeys(point["achieved_margin"] for point in report["soft_margin"])
    least = min(best, achieved or best) * _LEAST_TICK
    marks += [RulerMark(margin, "", "faint") for margin in soft if margin and margin > least]
    band, of_band = _margin_band(report)
    low, high = spread([best, achieved, run["margin_upper"], *(m.value for m in marks), *of_band])
    low, high = min(low, best / _LEAST_SPAN), max(high, best)
    return Ruler(
        key="margins", name="margin", unit="to the nearest row", marks=tuple(marks), bands=band,
        low=max(low / _ROOM, 5e-324), high=min(high * _ROOM, 1.7e308),
        ticks=lambda scale: _shares_of(best, scale), finding=_margins_finding(report),
    )  # fmt: skip


def _separates(run: Report) -> bool:
    return run["margin"] is not None and run["margin"] > 0


def _achieved(report: Report) -> str:
    run = report["perceptron"]
    if _separates(run):
        return f"perceptron {rounded(run['margin'], 3)}"
    return f"perceptron: {plural(run['n_errors'], 'row')} in error"


def _margin_band(report: Report) -> tuple[tuple[RulerBand, ...], tuple[float, ...]]:
    """Return the band of the margins that random orders achieved, and its ends."""
    margins = report["orders"].get("margins")
    if margins is None or margins["least"] <= 0:
        return (), ()
    ends = nested(margins["quantiles"])
    return (RulerBand(ends, "random orders: half, 90 %, all", "perceptron"),), ends[0]


def _shares_of(best: float, scale: Scale) -> list[tuple[float, str]]:
    assert isinstance(scale, LogScale)
    found = [(best * 10.0**k, _share_text(k)) for k in scale.decades(best) if abs(k) <= _MOST_DECADES]
    return [(value, text) for value, text in found if scale.low <= value <= scale.high]


def _share_text(exponent: int) -> str:
    if exponent == 0:
        return "γ* = 100 %"
    return f"{rounded(10.0**exponent)} × γ*" if exponent > 0 else percent(10.0**exponent)


def _margins_finding(report: Report) -> str:
    run, share = report["perceptron"], report["comparison"]["share_of_maximum"]
    best = f"The largest possible margin is {margin_digits(report['hard_margin'], 7)}"
    if _separates(run) and share is not None:
        kept = f"the perceptron's hyperplane keeps {rounded(run['margin'], 3)}, which is {percent(share)} of it"
    else:
        kept = f"the perceptron's hyperplane does not separate: {plural(run['n_errors'], 'row')} in error"
    upper = run["margin_upper"]
    proof = "" if upper is None else f"; its mistakes prove that the margin is at most {upper_end(upper, 3)}"
    return f"{best}; {kept}{proof}."


def _mistakes(report: Report) -> Ruler:
    run = report["perceptron"]
    made = run["n_mistakes"]
    band, found, extremes = _mistake_band(report)
    same = [text for value, text in extremes if value == made]
    text = f"{count(made)} in this run{'' if run['converged'] else ', so far'}{f', the {listed(same)}' if same else ''}"
    marks = [RulerMark(made, text, "perceptron", name="made")]
    marks += [RulerMark(value, f"{text} {count(value)}", "faint") for value, text in extremes if value != made]
    bounds = _bound_values(report)
    presented = run["n_presentations"]
    top = max([made, presented, *found, *(value for value, _ in bounds[:1])])
    for value, text in bounds:
        is_far = value > _FAR * top
        marks.append(RulerMark(math.inf if is_far else value, f"{text}{' →' if is_far else ''}", "bound", below=True))
        top = top if is_far else max(top, value)
    marks.append(RulerMark(presented, f"{count(presented)} rows presented", "bound faint-text", below=True))
    return Ruler(
        key="mistakes", name="mistakes", unit="and their bounds",
        marks=tuple(mark for mark in marks if mark.value), bands=band, low=0.8, high=top * 1.3, ticks=_counts,
        finding=_mistakes_finding(report, bounds),
    )  # fmt: skip


def _mistake_band(report: Report) -> tuple[tuple[RulerBand, ...], list[int], list[tuple[int, str]]]:
    """Return the band of random orders, its ends, and the fewest and the most mistakes found with their names."""
    orders = report["orders"]
    if orders["reason"] is not None or orders["max_epochs"] is not None:
        return (), [], []
    least, most = orders["best"]["n_mistakes"], orders["worst"]["n_mistakes"]
    extremes = [(least, "fewest found"), (most, "most possible" if orders["worst"]["proven"] else "most found")]
    ends = nested(orders["quantiles"])
    band = () if ends[0][0] < 1 else (RulerBand(ends, "", "perceptron"),)
    return band, [least, most, int(ends[0][1])], extremes


def _bound_values(report: Report) -> list[tuple[float, str]]:
    """Return the tightest bound and Novikoff's, in this order, once if they are one."""
    tightest = min(holding_bounds(report), key=lambda bound: bound["value"], default=None)
    of_novikoff = novikoff(report)
    found = []
    if of_novikoff is not None:
        found = [(of_novikoff["value"], f"Novikoff, any order: {floor_of(of_novikoff['value'])}")]
    if tightest is None or (of_novikoff is not None and tightest["value"] >= of_novikoff["value"]):
        return found
    return [(tightest["value"], _tightest(tightest)), *found]


def _tightest(bound: Report) -> str:
    return f"tightest bound, {bound['holds_for'].removesuffix(', to convergence')}: {floor_of(bound['value'])}"


def _counts(scale: Scale) -> list[tuple[float, str]]:
    return [(tick, rounded(tick, 4)) for tick in count_ticks(scale)]


def _mistakes_finding(report: Report, bounds: Iterable[tuple[float, str]]) -> str:
    run = report["perceptron"]
    ended = "and converged" if run["converged"] else "and was stopped"
    texts = "; ".join(text for _, text in bounds)
    return f"The run made {plural(run['n_mistakes'], 'mistake')} {ended}{f'; bounds: {texts}' if texts else ''}."


def _errors(report: Report) -> Ruler:
    """Return the ruler of rows in error, where no hyperplane has every row strictly on its side."""
    run, best, data = report["perceptron"], report["fewest_errors"], report["data"]
    n_rows, marks = f"{count(data['n_samples'])} rows", []
    if best["reason"] is None:
        text = f"fewest possible {shown_interval(best['lower'], best['upper'])}"
        marks.append(RulerMark(best["upper"], text, "truth"))
    marks.append(RulerMark(run["n_errors"], f"perceptron, at its end {count(run['n_errors'])}", "perceptron"))
    soft = fewest_errors(report)
    if soft is not None:
        text = f"best soft margin {count(soft['n_errors'])} (C = {rounded(soft['C'])})"
        marks.append(RulerMark(soft["n_errors"], text, "quiet", below=True))
    smaller = min(entry["count"] for entry in data["classes"])
    marks.append(RulerMark(smaller, f"one class for all rows {count(smaller)}", "bound", below=True))
    least, most = spread(mark.value for mark in marks)
    is_log = most > _FAR_APART * least
    interval = best["reason"] is None and best["lower"] < best["upper"]
    band = (RulerBand(((max(best["lower"], 0.8), best["upper"]),), "", "truth"),) if interval else ()
    return Ruler(
        key="errors", name="rows in error", unit=f"of {n_rows}", marks=tuple(mark for mark in marks if mark.value),
        bands=band, low=0.8 if is_log else 0.0, high=most * (1.3 if is_log else 1.12), is_log=is_log, ticks=_counts,
        finding="; ".join(mark.text for mark in marks) + ".",
    )  # fmt: skip


def _undecided(report: Report) -> tuple[Ruler, ...]:
    """Return the proven interval of the maximum margin; no ruler where its upper end is not finite."""
    hard = report["hard_margin"]
    lower, upper = hard["lower"], hard["upper"]
    if upper is None or upper <= _LEAST_END:
        return ()
    low = lower if lower > 0 else upper / 1e3
    known = [(value, rounded(value, 3)) for value in ((lower, upper) if lower > 0 else (upper,))]
    text = f"γ* at most {upper_end(upper, 3)}, proven"
    ruler = Ruler(
        key="margins", name="margin", unit="what is proven", marks=(RulerMark(upper, text, "truth"),),
        bands=(RulerBand(((low, upper),), "", "truth"),), low=low / _ROOM, high=upper * _ROOM,
        ticks=lambda _: known,
        finding=f"{text}.",
    )  # fmt: skip
    return (ruler,)
