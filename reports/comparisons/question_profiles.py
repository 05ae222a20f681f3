"""Performance profiles of the methods that answer one question: of their times, and of their margins."""

import math
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Literal, get_args

import numpy as np

from maxmargin.reports.comparisons.estimates import TAUS, is_censored, performance_ratios, profile_at
from maxmargin.reports.comparisons.runs import (
    MethodRuns,
    Record,
    Runs,
    is_separable,
    separates,
    share_of,
    shared_instances,
)
from maxmargin.reports.document import Block, FigureSlot, Paragraph, TableBlock
from maxmargin.reports.templates import wording
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.text.number_formats import count, percent, plural, rounded

Fields = dict[str, Any]
Kind = Literal["time", "margin"]

TITLE = "Performance profiles"

# Least time of a run in seconds: clocks that return 0 must not win by an infinite ratio.
_LEAST_SECONDS = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuestionProfile:
    """The profiles of the methods of one question.

    Attributes
    ----------
    kind : {"time", "margin"}
    question : str
    labels : tuple of str
        The methods.
    ratios : ndarray of shape (n_instances, n_methods)
        Infinite where the hyperplane of a method does not separate.
    n_finished : tuple of int
        Number of runs that each method finished.
    n_left_out : int
        Number of instances that some method did not finish; they are in no profile.
    """

    kind: Kind
    question: str
    labels: tuple[str, ...]
    ratios: Floats
    n_finished: tuple[int, ...]
    n_left_out: int

    @property
    def key(self) -> str:
        """The key of the figure."""
        return f"{self.kind}-profile-{self.question.replace(' ', '-')}"

    @property
    def can_be_drawn(self) -> bool:
        """Whether there is an instance, and more than one method where they are compared with each other."""
        return len(self.ratios) > 0 and (self.kind == "margin" or len(self.labels) > 1)


def profiles_of(runs: Runs) -> tuple[QuestionProfile, ...]:
    """Return the profiles of all questions: first of the times, then of the margins."""
    pairs = product(get_args(Kind), runs.of_questions().items())
    found = (_profile(kind, question, methods, runs.tolerance) for kind, (question, methods) in pairs)
    return tuple(profile for profile in found if profile is not None)


def _profile(kind: Kind, question: str, methods: list[MethodRuns], tolerance: float) -> QuestionProfile | None:
    """Return None for the margins of methods that return no hyperplane, or without separable data."""
    if kind == "margin":
        methods = [_on_separable(method) for method in methods if any(r["margin"] is not None for r in method.records)]

    def is_finished(record: Record) -> bool:
        if kind == "time":
            return record["seconds"] is not None and is_solved(record, question, tolerance)
        return bool(record["status"] == "ok")

    shared = shared_instances(
        [_on_separable(method) if kind == "margin" else method for method in methods], is_finished
    )
    if kind == "margin" and not shared.records:
        return None
    cost = _seconds if kind == "time" else partial(_margin_ratio, tolerance=tolerance)
    costs = np.array([list(map(cost, records)) for records in shared.records])
    costs = costs.reshape(len(shared.records), len(shared.methods))
    return QuestionProfile(
        kind=kind, question=question, labels=tuple(method.label for method in shared.methods),
        n_finished=tuple(sum(map(is_finished, method.records)) for method in shared.methods),
        n_left_out=shared.n_left_out, ratios=performance_ratios(costs) if kind == "time" and len(costs) else costs,
    )  # fmt: skip


def _on_separable(method: MethodRuns) -> MethodRuns:
    return replace(method, records=tuple(filter(is_separable, method.records)))


def _seconds(record: Record) -> float:
    return max(float(record["seconds"]), _LEAST_SECONDS)


def _margin_ratio(record: Record, tolerance: float) -> float:
    """Return how many times smaller than the maximum margin the margin of the run is."""
    share = share_of(record)
    if share >= 1 - tolerance:
        return 1.0
    return 1 / share if share > 0 else math.inf


def is_solved(record: Record, question: str, tolerance: float) -> bool:
    """Return whether a run answered its question, so that its time counts.

    It finished, no limit stopped it, it returned something, and its claim is not false. On separable data its
    hyperplane has the maximum margin up to the tolerance for a hard margin, and separates for an online algorithm. A
    soft-margin objective is within the tolerance of its proven bound where this is known, or its claim is true.
    Whether there is a separating hyperplane is answered by a claim only.
    """
    if record["status"] != "ok" or is_censored(record) or record["claim_true"] is False:
        return False
    if question == "hard margin" and is_separable(record):
        return share_of(record) >= 1 - tolerance
    if question == "online" and is_separable(record):
        return separates(record)
    if question == "soft margin" and record["suboptimality"] is not None:
        return record["claim_true"] is True or float(record["suboptimality"]) <= tolerance
    if question in ("separation", "hard margin"):
        return record["claim"] is not None
    return any(record[name] is not None for name in ("w", "claim", "n_mistakes", "n_updates"))


def fields(profiles: tuple[QuestionProfile, ...]) -> list[Fields]:
    """Return the profiles at the ratios of the tables."""
    return [
        {
            "kind": profile.kind,
            "question": profile.question,
            "n_instances": len(profile.ratios),
            "n_left_out": profile.n_left_out,
            "is_drawn": profile.can_be_drawn,
            "figure": profile.key,
            "taus": list(TAUS),
            "methods": [
                {
                    "method": label,
                    "n_finished": profile.n_finished[column],
                    "rho": profile_at(profile.ratios[:, column]) if len(profile.ratios) else None,
                }
                for column, label in enumerate(profile.labels)
            ],
        }
        for profile in profiles
    ]


_ONLY_LIKE = "Only methods that answer one question are compared with each other."


def blocks(found: list[Fields]) -> tuple[Block, ...]:
    """Return the tables and the positions of the figures."""
    if not found:
        return (Paragraph("There are no instances to compare methods on."),)
    kinds = dict.fromkeys(entry["kind"] for entry in found)
    shown: list[Block] = [Paragraph(" ".join([*(wording(f"{kind}_profiles") for kind in kinds), _ONLY_LIKE]))]
    for entry in found:
        shown += _of_one(entry)
    return tuple(shown)


def _of_one(entry: Fields) -> list[Block]:
    name = f"{'Time' if entry['kind'] == 'time' else 'Margin'}, {entry['question']}"
    if not entry["is_drawn"]:
        why = "there is only one method" if entry["n_instances"] else "no instance was finished by all methods"
        return [Paragraph(f"{name}: {why}, so there is no profile.")]
    rows = tuple((m["method"], count(m["n_finished"]), *map(percent, m["rho"])) for m in entry["methods"])
    columns = ("Method", "Finished", *(f"τ = {rounded(tau)}" for tau in entry["taus"]))
    table = TableBlock(f"{name}: ρ(τ)", columns, rows, numeric=range(1, len(columns)), note=_note(entry))
    return [table, FigureSlot(entry["figure"])]


def _note(entry: Fields) -> str:
    shared = f"{plural(entry['n_instances'], 'instance')}."
    if not entry["n_left_out"]:
        return shared
    others = plural(entry["n_left_out"], "other instance was", "other instances were")
    return f"{shared} {others} not finished by all methods and left out."
