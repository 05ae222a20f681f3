"""Every installed solver on one data set: the runs and the judgements that a trust report is made of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.api.question import Question
from maxmargin.comparison.audit.scripts import Call, script_of, setting_name
from maxmargin.comparison.audit.unit_audit import audit_units
from maxmargin.comparison.carry_out import Progress, StudyPlan, carry_out
from maxmargin.comparison.cells import FIELDS
from maxmargin.comparison.collect import collected
from maxmargin.comparison.comparison import Comparison
from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.outcome import NOT_RUN
from maxmargin.comparison.jobs.pool import Pool
from maxmargin.comparison.jobs.store import Store
from maxmargin.comparison.methods.every_method import catalogue, method_of
from maxmargin.comparison.methods.method import QuestionKind
from maxmargin.comparison.study_file import Setting, Source, Study
from maxmargin.data.dataset import Dataset, problem_of
from maxmargin.solvers.basics.limits import TIME_IS_OVER, Limits
from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.proof.angles import angle_around

# Planted gaps are 2^-k for these k.
GAPS = (4, 8, 12, 16, 20, 24, 28, 32, 40, 50)

# Bytes that a solver may take.
MEMORY = 4 << 30

# Generated data that are separable, or overlap, by 2^-k.
_KINDS = ("gap", "overlap")
_PLANTED = tuple(f"{kind}:{k}" for k in GAPS for kind in _KINDS)

# Parameters with which users ask for the hard margin or for the maximum-likelihood estimate.
_SETTINGS: dict[str, tuple[dict[str, Any], ...]] = {
    "sklearn.SVC": ({"C": 1e10},),
    "sklearn.LinearSVC": ({"C": 1e6, "loss": "hinge"},),
    "sklearn.LogisticRegression": ({"C": float("inf")},),
}

_FIELDS = ("method", "version", "params", "status", "message", "claim", "claim_true", "margin", "share",
           "n_errors", "seconds")  # fmt: skip


def audited(
    X: Any,
    y: Any = None,
    *,
    positive: object = None,
    time_limit: float = 10.0,
    jobs: int = 1,
    methods: Iterable[str] | None = None,
    total_time_limit: float | None = None,
    gaps: bool = False,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Ask the solvers as `maxmargin.trust` does.

    Returns
    -------
    dict
        The attributes of a `maxmargin.TrustReport`.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes in memory.
    InvalidOptionError
        If there is no such method, or a number makes no sense.
    """
    limits = Limits(time_limit=total_time_limit)
    whole_number("jobs", jobs)
    dataset = _dataset(X, y, positive)
    settings, limit = tuple(_settings(methods)), Limit(seconds=time_limit, memory=MEMORY)
    with Pool(min(jobs, len(settings))) as workers, Store(workers.new_folder()) as store:
        source = _as_file(dataset, workers)

        def comparison_of(*sources: Source) -> tuple[StudyPlan, Comparison]:
            plan = StudyPlan.of(Study(title="trust", sources=sources, settings=settings, limit=limit), store)
            carry_out(plan, store, workers, jobs=jobs, limits=limits, is_strict=True, on_progress=on_progress)
            return plan, collected(plan, store, jobs=jobs)

        plan, own = comparison_of(source)
        planted = [Source(name=name, path=name, reading={}) for name in _PLANTED if gaps]
        of_gaps = comparison_of(*planted)[1].records if planted else ()
        proven = {name: own.data[0][name] for name in ("verdict", "gamma_lower", "gamma_upper")}
        units = audit_units(plan.cells[0].view, dataset.feature_names, proven["verdict"], workers, limit, limits)
    records = sorted([*own.records, *_not_asked(plan, own)], key=_gravity)
    return {
        "source": dataset.source,
        "proven": proven,
        "solvers": tuple(_with_angle(record, records) for record in records),
        "script": _script(records, dataset),
        "units": tuple(units),
        "gaps": tuple(_gap(setting, of_gaps) for setting in settings if of_gaps),
    }


def _dataset(X: Any, y: Any, positive: object) -> Dataset:
    """Return the data set of two classes, in memory.

    Raises
    ------
    InvalidProblemError
    """
    dataset = Question.of(X, y, bias=True, positive=positive).dataset
    if not dataset.is_in_memory:
        raise InvalidProblemError(f"{dataset.source} is not in memory, and most solvers need it there")
    n_samples, n_features = problem_of(dataset).X.shape
    if n_samples * n_features * np.dtype(float).itemsize > MEMORY:
        size = f"{n_samples:,} x {n_features:,}"
        raise InvalidProblemError(f"{size} numbers take more memory than the {MEMORY >> 30} GiB that a solver may take")
    return dataset


def _as_file(dataset: Dataset, workers: Pool) -> Source:
    """Write the rows and their signs to a file that the processes read; it goes with them."""
    problem = problem_of(dataset)
    X = problem.X if isinstance(problem.X, np.ndarray) else problem.X.toarray()
    path = workers.new_folder() / "data.npz"
    np.savez(path, X=X, y=problem.y.astype(np.int64))
    return Source(name=dataset.source, path=str(path), reading={})


def _settings(methods: Iterable[str] | None) -> Iterator[Setting]:
    """Yield the methods to ask, our own first, with the parameters that users give them."""
    given = _default_methods() if methods is None else [methods] if isinstance(methods, str) else methods
    names = tuple(dict.fromkeys(given))
    if not names:
        raise InvalidOptionError("methods is empty; expected names of methods, or None for all that are installed")
    for name in names:
        method = method_of(name)
        for params in _SETTINGS.get(method.name, ({},)):
            yield Setting(method=method, params=params)


def _default_methods() -> Iterator[str]:
    """Yield the names of the installed methods that answer a question about separation or the maximum margin."""
    for name, method in catalogue().items():
        is_soft = method.question is QuestionKind.SOFT_MARGIN and name not in _SETTINGS
        if method.is_installed and method.question is not QuestionKind.ONLINE and not is_soft:
            yield name


def _not_asked(plan: StudyPlan, comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield records of the solvers that the time limit of the whole has left out."""
    asked = {record["cell"] for record in comparison.records}
    for cell in plan.cells:
        if cell.key not in asked:
            yield dict.fromkeys(FIELDS) | cell.identity() | {"status": NOT_RUN, "message": TIME_IS_OVER}


def _script(records: Iterable[Mapping[str, Any]], dataset: Dataset) -> str:
    """Return the script that gives the answers that are false or missing; those that never end are left out."""
    wrong = [r for r in records if r["claim_true"] is not True and r["status"] not in ("timeout", NOT_RUN)]
    calls = [Call.of(setting_name(record), method_of(record["method"]), record["params"]) for record in wrong]
    found = [call for call in calls if call is not None]
    return script_of(found, dataset) if found else ""


def _with_angle(record: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the fields of an entry, with the angle of its normal that the best hyperplane of all records proves."""
    best = max(records, key=lambda other: other["margin"] or 0.0)
    angle: tuple[float, float] | tuple[None, None] = None, None
    if record["gamma_upper"] and (best["margin"] or 0) > 0 and any(record["w"] or ()):
        share = Fraction(best["margin"]) / Fraction(record["gamma_upper"])
        angle = angle_around(np.array(record["w"]), np.array(best["w"]), share**2)
    return {field: record[field] for field in _FIELDS} | {"angle_lower": angle[0], "angle_upper": angle[1]}


def _gravity(entry: Mapping[str, Any]) -> int:
    """Return the order of entries: false claims first, then failures, then no claims, then true ones."""
    if entry["claim_true"] is False:
        return 0
    if entry["status"] != "ok":
        return 1
    return 3 if entry["claim_true"] else 2


def _gap(setting: Setting, records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return down to which planted gap a solver answers, and rightly."""
    own = [r for r in records if r["method"] == setting.method.name and r["params"] == dict(setting.params)]
    by_data = {record["data"]: record for record in own}
    ends, failure = dict[str, int | None](), None
    for kind in _KINDS:
        ends[kind] = None
        for k in GAPS:
            record = by_data[f"{kind}:{k}"]
            if not _is_fine(record):
                failure = failure or f"{kind}:{k}: {_failure(record)}"
                break
            ends[kind] = k
    named = {"method": setting.method.name, "params": dict(setting.params)}
    return {**named, "separable_down_to": ends["gap"], "overlap_down_to": ends["overlap"], "first_failure": failure}


def _is_fine(record: Mapping[str, Any]) -> bool:
    """Return whether a solver answered, and not wrongly; a regression without an estimate rightly claims nothing."""
    has_answered = record["claim"] is not None or method_of(record["method"]).question is QuestionKind.LOGISTIC
    return record["status"] == "ok" and has_answered and record["claim_true"] is not False


def _failure(record: Mapping[str, Any]) -> str:
    if record["status"] != "ok":
        return f"{record['status']}: {record['message']}"
    return f"{record['claim'] or 'claims nothing'} ({record['message']})"
