"""Mistakes of the online methods against R^2/gamma^2, their exponents, and the bounds that are proven for the runs."""

import math
from dataclasses import asdict, dataclass
from statistics import geometric_mean, median

from maxmargin.reports.comparisons.estimates import Exponent, fit_exponent, is_censored
from maxmargin.reports.comparisons.runs import Fields, MethodRuns, Record, Runs, data_set_label, is_separable
from maxmargin.reports.document import Block, FigureSlot, Paragraph, TableBlock
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import UNKNOWN, count, listed, plural, rounded

TITLE = "Mistakes against bounds"

FIGURE = "mistakes-against-novikoff"

# Largest R/gamma that is shown and fitted: its square must be a binary64 number.
LARGEST_DIFFICULTY = 1e150

# Probability with which the interval of an exponent covers it.
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakePoint:
    """The mistakes of a method on one data set.

    Attributes
    ----------
    data : str
    difficulty : float
        R/gamma, with R the largest norm of a row and gamma the lower end of the maximum margin.
    mistakes : float
        Geometric mean over orders, seeds and folds.
    n_runs : int
    is_lower_bound : bool
        Whether a limit stopped one of the runs, so that there are at least this number of mistakes.
    """

    data: str
    difficulty: float
    mistakes: float
    n_runs: int
    is_lower_bound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeLaw:
    """The mistakes of one method on all separable data sets.

    Attributes
    ----------
    label : str
    points : tuple of MistakePoint
    n_stopped : int
        Number of runs that were stopped by a limit or failed; their data sets are in no fit.
    n_without_mistakes : int
        Number of data sets with a run without a mistake, which a logarithm cannot show.
    exponent : Exponent
    """

    label: str
    points: tuple[MistakePoint, ...]
    n_stopped: int
    n_without_mistakes: int
    exponent: Exponent


def laws_of(runs: Runs) -> tuple[MistakeLaw, ...]:
    """Return the mistakes of every method that counts them, in the order of the methods."""
    return tuple(
        _law(method) for method in runs.methods if any(record["n_mistakes"] is not None for record in method.records)
    )


def _law(method: MethodRuns) -> MistakeLaw:
    on_separable = [records for records in method.by_data_set() if all(map(is_separable, records))]
    records = [record for group in on_separable for record in group]
    without = [group for group in on_separable if any(record["n_mistakes"] == 0 for record in group)]
    points = [point for group in on_separable if group not in without for point in _point(group)]
    fitted = [point for point in points if not point.is_lower_bound]
    return MistakeLaw(
        label=method.label,
        points=tuple(points),
        n_stopped=sum(is_censored(record) or record["n_mistakes"] is None for record in records),
        n_without_mistakes=len(without),
        exponent=fit_exponent(
            [point.difficulty for point in fitted], [point.mistakes for point in fitted], confidence=CONFIDENCE
        ),
    )


def _point(records: list[Record]) -> list[MistakePoint]:
    """Return the point of a data set; none where no run counted its mistakes, or R is not known."""
    counted = [record for record in records if record["n_mistakes"] is not None and record["radius"]]
    difficulty = geometric_mean(r["radius"] / r["gamma_lower"] for r in counted) if counted else math.inf
    if difficulty > LARGEST_DIFFICULTY:
        return []
    point = MistakePoint(
        data=data_set_label(records[0]),
        difficulty=difficulty,
        mistakes=geometric_mean(record["n_mistakes"] for record in counted),
        n_runs=len(counted),
        is_lower_bound=len(counted) < len(records) or any(map(is_censored, counted)),
    )
    return [point]


def fields(runs: Runs, laws: tuple[MistakeLaw, ...]) -> Fields:
    """Return the points, the exponents and the ratios to the bounds."""
    ratios = (_ratios(method) for method in runs.methods)
    return {
        "confidence": CONFIDENCE,
        "exponents": [
            {
                "method": law.label,
                **asdict(law.exponent),
                **{"n_stopped": law.n_stopped, "n_without_mistakes": law.n_without_mistakes},
                "points": list(map(asdict, law.points)),
            }
            for law in laws
        ],
        "ratios": [entry for entry in ratios if entry is not None],
    }


def _ratios(method: MethodRuns) -> Fields | None:
    """Return the mistakes as a fraction of the smallest bound that is proven for the run."""
    bounded = [r for r in method.records if r["n_mistakes"] is not None and _bounds(r)]
    if not bounded:
        return None
    ratios = [_ratio(record["n_mistakes"], min(_bounds(record).values())) for record in bounded]
    names = sorted({min(bounds, key=lambda name: bounds[name]) for bounds in map(_bounds, bounded)})
    return {
        "method": method.label,
        "n": len(ratios),
        "median": median(ratios),
        "largest": max(ratios),
        "n_above": sum(ratio > 1 for ratio in ratios),
        "bounds": names,
    }


def _bounds(record: Record) -> dict[str, float]:
    return {name: value for name, value in sorted((record["bounds"] or {}).items()) if value is not None}


def _ratio(n_mistakes: int, bound: float) -> float:
    if bound > 0:
        return n_mistakes / bound
    return math.inf if n_mistakes else 0.0


def blocks(found: Fields) -> tuple[Block, ...]:
    """Return the figure, the exponents and the ratios."""
    if not found["exponents"]:
        return (Paragraph("No method of the comparison counts mistakes."),)
    shown: list[Block] = [FigureSlot(FIGURE)] if any(entry["points"] for entry in found["exponents"]) else []
    shown += [Paragraph(_explanation(found)), _exponent_table(found["exponents"])]
    if found["ratios"]:
        shown.append(_ratio_table(found["ratios"]))
    n_above = sum(entry["n_above"] for entry in found["ratios"])
    if n_above:
        alarm = f"Alarm: {plural(n_above, 'run')} made more mistakes than a bound that is proven for it."
        shown.append(Paragraph(alarm))
    return tuple(shown)


def _explanation(found: Fields) -> str:
    text = wording("exponents", percent=rounded(100 * found["confidence"]))
    zero = sum(entry["n_without_mistakes"] for entry in found["exponents"])
    if zero:
        text += " " + wording("without_mistakes", pairs=plural(zero, "pair"))
    return text


def _exponent_table(entries: list[Fields]) -> TableBlock:
    rows = tuple(
        (entry["method"], rounded(entry["value"], 3), _interval(entry), *_counts(entry), entry["reason"] or UNKNOWN)
        for entry in entries
    )
    interval = f"{rounded(100 * CONFIDENCE)} % interval"
    columns = ("Method", "a", interval, "Data sets", "Runs stopped", "Not given because")
    return TableBlock("Exponent of the mistakes in R/γ*", columns, rows, numeric=range(1, 5), note=_EXPONENT_NOTE)


_EXPONENT_NOTE = (
    "Data sets: those in the fit. Runs stopped: the runs on separable data that failed or were stopped by a limit."
)


def _interval(entry: Fields) -> str:
    return UNKNOWN if entry["low"] is None else f"[{rounded(entry['low'], 3)}, {rounded(entry['high'], 3)}]"


def _counts(entry: Fields) -> tuple[str, str]:
    return count(entry["n"]), count(entry["n_stopped"])


def _ratio_table(entries: list[Fields]) -> TableBlock:
    rows = tuple(
        (
            entry["method"], count(entry["n"]), rounded(entry["median"], 3), rounded(entry["largest"], 3),
            count(entry["n_above"]), listed(entry["bounds"]),
        )
        for entry in entries
    )  # fmt: skip
    columns = ("Method", "Runs", "Median", "Largest", "Above 1", "Smallest bounds")
    note = "Only bounds whose assumptions are proven for the run. A ratio above 1 would disprove a theorem or a count."
    return TableBlock("Mistakes divided by the smallest valid bound", columns, rows, numeric=range(1, 5), note=note)
