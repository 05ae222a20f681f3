"""Times to a separating hyperplane as the margin shrinks: online methods against solvers, data set by data set."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import geometric_mean, median

from maxmargin.reports.comparisons.estimates import is_censored
from maxmargin.reports.comparisons.mistake_laws import LARGEST_DIFFICULTY
from maxmargin.reports.comparisons.runs import (
    Fields,
    MethodRuns,
    Record,
    Runs,
    data_set_key,
    data_set_label,
    grouped,
    is_separable,
    separates,
)
from maxmargin.reports.document import Block, FigureSlot, TableBlock
from maxmargin.text.number_formats import UNKNOWN, rounded

TITLE = "Times as the margin shrinks"

FIGURE = "times-against-margin"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePoint:
    """The time of a method to a hyperplane that separates one data set.

    Attributes
    ----------
    key : str
        Identifies the data set; labels may be cut.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodTimes:
    """The times of one method on the separable data sets where every run of it found a hyperplane that separates.

    Attributes
    ----------
    label, question : str
    points : tuple of TimePoint
        From the widest margin to the narrowest, relative to R.
    """

    label: str
    question: str
    points: tuple[TimePoint, ...]


def times_of_methods(runs: Runs) -> tuple[MethodTimes, ...]:
    """Return the times of every method that separated a data set, in the order of the methods."""
    found = (
        MethodTimes(label=method.label, question=method.question, points=_points(method)) for method in runs.methods
    )
    return tuple(times for times in found if times.points)


def _points(method: MethodRuns) -> tuple[TimePoint, ...]:
    points = (_point(records) for records in method.by_data_set() if all(map(_counts, records)))
    near = (point for point in points if point.difficulty <= LARGEST_DIFFICULTY)
    return tuple(sorted(near, key=lambda point: (point.difficulty, point.data)))


def _counts(record: Record) -> bool:
    """Return whether a run ended with a hyperplane that separates, after a time that is known."""
    is_measured = bool(record["seconds"]) and bool(record["radius"])
    has_ended = record["status"] == "ok" and not is_censored(record)
    return is_measured and has_ended and is_separable(record) and separates(record)


def _point(records: Sequence[Record]) -> TimePoint:
    mistakes = [record["n_mistakes"] for record in records if record["n_mistakes"] is not None]
    return TimePoint(
        key=data_set_key(records[0]),
        data=data_set_label(records[0]),
        difficulty=geometric_mean(record["radius"] / record["gamma_lower"] for record in records),
        seconds=geometric_mean(record["seconds"] for record in records),
        mistakes=median(mistakes) if mistakes else None,
    )


def fields(methods: Sequence[MethodTimes]) -> Fields:
    """Return the points of every method, and for every data set the fastest online method and the fastest solver."""
    return {"methods": [{"method": times.label, "question": times.question, "points": list(map(asdict, times.points))}
                        for times in methods], "races": races_of(methods)}  # fmt: skip


def races_of(methods: Sequence[MethodTimes]) -> list[Fields]:
    """Return who is first on every data set, from the widest margin to the narrowest."""
    races = []
    entries = [(times, point) for times in methods for point in times.points]
    for every in grouped(entries, lambda entry: entry[1].key).values():
        online = [entry for entry in every if entry[0].question == "online"]
        solvers = [entry for entry in every if entry[0].question != "online"]
        point = every[0][1]
        races.append(
            {"data": point.data, "difficulty": point.difficulty, "online": _first(online), "solver": _first(solvers)}
        )
    return sorted(races, key=lambda race: (race["difficulty"], race["data"]))


def _first(entries: Sequence[tuple[MethodTimes, TimePoint]]) -> Fields | None:
    if not entries:
        return None
    times, point = min(entries, key=lambda entry: (entry[1].seconds, entry[0].label))
    return {"method": times.label, "seconds": point.seconds, "mistakes": point.mistakes}


def has_both_kinds(races: Sequence[Fields]) -> bool:
    """Return whether an online method and a solver separated the same data."""
    return any(race["online"] and race["solver"] for race in races)


def blocks(found: Fields | None) -> tuple[Block, ...]:
    """Return the figure and the races; nothing in a report without times, or with one kind of method."""
    if found is None or not has_both_kinds(found["races"]):
        return ()
    rows = []
    for race in found["races"]:
        online, solver = race["online"], race["solver"]
        first = "online" if online and (not solver or online["seconds"] < solver["seconds"]) else "solver"
        rows.append((race["data"], rounded(race["difficulty"] ** 2, 3), *_cells(online), *_cells(solver)[::2], first))
    columns = ("Data", "R²/γ*²", "Fastest online", "Mistakes", "Seconds", "Fastest solver", "Seconds", "First")
    caption, note = "The first separating hyperplane, data set by data set", "A few milliseconds are mostly overhead."
    return (FigureSlot(FIGURE), TableBlock(caption, columns, tuple(rows), numeric=(1, 3, 4, 6), note=note))


def _cells(entry: Fields | None) -> tuple[str, str, str]:
    """Return the method, its mistakes and its seconds."""
    if entry is None:
        return (UNKNOWN, UNKNOWN, UNKNOWN)
    return entry["method"], rounded(entry["mistakes"]), rounded(entry["seconds"], 3)
