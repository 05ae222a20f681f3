"""Times to a separating hyperplane as the margin shrinks: online methods against solvers, data set by data set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import Any

from maxmargin.reports.comparisons.estimates.exponents import Exponent, fit_exponent
from maxmargin.reports.comparisons.estimates.means import is_censored
from maxmargin.reports.comparisons.mistake_laws import CONFIDENCE, LARGEST_DIFFICULTY
from maxmargin.reports.comparisons.runs import (
    MethodRuns,
    Record,
    Runs,
    data_set_key,
    data_set_label,
    is_separable,
    separates,
)
from maxmargin.reports.document import Block, FigureSlot, Paragraph, TableBlock
from maxmargin.text.number_formats import UNKNOWN, count, number, plural

Fields = dict[str, Any]

TITLE = "Times as the margin shrinks"

FIGURE = "times-against-margin"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePoint:
    """The time of a method to a hyperplane that separates one data set.

    Attributes
    ----------
    key : str
        What tells the data set from others; labels may be cut.
    data : str
    difficulty : float
        R/gamma.
    seconds : float
        Geometric mean over orders, seeds and folds.
    mistakes : float or None
        Median of the mistakes, where the method counts them.
    """

    key: str
    data: str
    difficulty: float
    seconds: float
    mistakes: float | None


_SHOWN = tuple(name for name in TimePoint.__slots__ if name != "key")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLaw:
    """The times of one method on the separable data sets where every run of it found a hyperplane that separates.

    Attributes
    ----------
    label, question : str
    points : tuple of TimePoint
        From the widest margin to the narrowest, relative to R.
    exponent : Exponent
        Of the seconds in R/gamma.
    """

    label: str
    question: str
    points: tuple[TimePoint, ...]
    exponent: Exponent


def time_laws_of(runs: Runs) -> tuple[TimeLaw, ...]:
    """Return the times of every method that separated a data set, in the order of the methods."""
    laws = (_law(method) for method in runs.methods)
    return tuple(law for law in laws if law.points)


def _law(method: MethodRuns) -> TimeLaw:
    points = [point for records in method.by(data_set_key).values() for point in _point(records)]
    points.sort(key=lambda point: (point.difficulty, point.data))
    exponent = fit_exponent(
        [point.difficulty for point in points], [point.seconds for point in points], confidence=CONFIDENCE
    )
    return TimeLaw(label=method.label, question=method.question, points=tuple(points), exponent=exponent)


def _point(records: Sequence[Record]) -> list[TimePoint]:
    """Return the point of a data set, unless a run failed, was stopped, or did not separate it."""
    if not all(map(is_separable, records)) or not all(_counts(record) for record in records):
        return []
    difficulty = geometric_mean(record["radius"] / record["gamma_lower"] for record in records)
    if difficulty > LARGEST_DIFFICULTY:
        return []
    mistakes = [record["n_mistakes"] for record in records if record["n_mistakes"] is not None]
    return [
        TimePoint(
            key=data_set_key(records[0]),
            data=data_set_label(records[0]),
            difficulty=difficulty,
            seconds=geometric_mean(record["seconds"] for record in records),
            mistakes=median(mistakes) if mistakes else None,
        )
    ]


def _counts(record: Record) -> bool:
    is_measured = bool(record["seconds"]) and bool(record["radius"])
    return record["status"] == "ok" and is_measured and separates(record) and not is_censored(record)


def fields(laws: Sequence[TimeLaw]) -> Fields:
    """Return the exponents, and for every data set the fastest online method and the fastest solver."""
    return {
        "confidence": CONFIDENCE,
        "exponents": [
            {"method": law.label, "question": law.question,
             **{name: getattr(law.exponent, name) for name in ("value", "low", "high", "n", "reason")},
             "points": [{name: getattr(point, name) for name in _SHOWN} for point in law.points]}
            for law in laws
        ],
        "races": _races(laws),
    }  # fmt: skip


def _races(laws: Sequence[TimeLaw]) -> list[Fields]:
    """Return who is first on every data set, from the widest margin to the narrowest."""
    entries: dict[str, list[tuple[TimeLaw, TimePoint]]] = {}
    for law in laws:
        for point in law.points:
            entries.setdefault(point.key, []).append((law, point))
    races = []
    for every in entries.values():
        online = [entry for entry in every if entry[0].question == "online"]
        solvers = [entry for entry in every if entry[0].question != "online"]
        races.append({"data": every[0][1].data, "difficulty": every[0][1].difficulty, "online": _first(online),
                      "solver": _first(solvers)})  # fmt: skip
    return sorted(races, key=lambda race: (race["difficulty"], race["data"]))


def _first(entries: Sequence[tuple[TimeLaw, TimePoint]]) -> Fields | None:
    if not entries:
        return None
    law, point = min(entries, key=lambda entry: (entry[1].seconds, entry[0].label))
    return {"method": law.label, "seconds": point.seconds, "mistakes": point.mistakes}


def last_won(races: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the data set of the narrowest margin on which an online method was faster than every solver."""
    won = [race for race in races if _is_won(race)]
    return won[-1] if won else None


def _is_won(race: Mapping[str, Any]) -> bool:
    online, solver = race["online"], race["solver"]
    return online is not None and (solver is None or online["seconds"] < solver["seconds"])


def can_be_drawn(laws: Sequence[TimeLaw]) -> bool:
    """Return whether there are online methods and solvers to compare."""
    return any(race["online"] and race["solver"] for race in _races(laws))


def blocks(found: Fields | None) -> tuple[Block, ...]:
    """Return the figure, the races and the exponents; nothing in a report without times, or with one kind of method."""
    if found is None or not any(race["online"] and race["solver"] for race in found["races"]):
        return ()
    return (FigureSlot(FIGURE), Paragraph(_sentence(found["races"])), _race_table(found["races"]), _exponents(found))


def _sentence(races: Sequence[Mapping[str, Any]]) -> str:
    last = last_won(races)
    if last is None:
        return "On no data set did an online method find a separating hyperplane before every solver did."
    after = [race for race in races if race["difficulty"] > last["difficulty"]]
    narrower = plural(len(after), "data set with a narrower margin", "data sets with narrower margins")
    beyond = f" On the {narrower} a solver was faster." if after else ""
    return (
        "The narrowest margin at which an online method was the fastest has "
        f"R²/γ*² = {number(last['difficulty'] ** 2, 3)} ({last['data']}).{beyond} "
        "Times of a few milliseconds are mostly overhead."
    )


def _race_table(races: Sequence[Mapping[str, Any]]) -> TableBlock:
    rows = tuple(
        (
            race["data"], number(race["difficulty"] ** 2, 3), *_racer(race["online"], with_mistakes=True),
            *_racer(race["solver"], with_mistakes=False), "online" if _is_won(race) else "solver",
        )
        for race in races
    )  # fmt: skip
    columns = ("Data", "R²/γ*²", "Fastest online", "Mistakes", "Seconds", "Fastest solver", "Seconds", "First")
    return TableBlock("The first separating hyperplane, data set by data set", columns, rows, numeric=(1, 3, 4, 6))


def _racer(entry: Mapping[str, Any] | None, *, with_mistakes: bool) -> tuple[str, ...]:
    if entry is None:
        return (UNKNOWN,) * (3 if with_mistakes else 2)
    mistakes = (UNKNOWN if entry["mistakes"] is None else number(entry["mistakes"], 6),) if with_mistakes else ()
    return (entry["method"], *mistakes, number(entry["seconds"], 3))


def _exponents(found: Fields) -> TableBlock:
    rows = tuple(
        (
            entry["method"], number(entry["value"], 3),
            UNKNOWN if entry["low"] is None else f"[{number(entry['low'], 3)}, {number(entry['high'], 3)}]",
            count(entry["n"]), entry["reason"] or UNKNOWN,
        )
        for entry in found["exponents"]
    )  # fmt: skip
    interval = f"{number(100 * found['confidence'])} % interval"
    columns = ("Method", "a", interval, "Data sets", "Not given because")
    note = "Only data sets are counted where every run of the method found a hyperplane that separates."
    return TableBlock("Exponent of the seconds in R/γ*", columns, rows, numeric=range(1, 4), note=note)
