"""The path of every verb from its arguments to the solvers and back: labels become signs, answers get names.

The data of a question are arrays, a data frame with labels, the name of their column or a formula, or a data set.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from maxmargin.data.dataset import Dataset, DecimalReading, class_problem_of, is_dask, problem_of
from maxmargin.data.generators.registry import Generated
from maxmargin.data.labels import CHOSEN
from maxmargin.data.reading.arrays import (
    LIBRARIES_WITH_INDEX,
    Modelled,
    check_row_names,
    features_and_labels,
    from_arrays,
    index_of_rows,
    name_of_index,
    row_weights,
)
from maxmargin.data.reading.formulas import column_names, read_formula
from maxmargin.data.sources.frames import is_from_table_library, library_of, name_of, with_distinct_names, without_index
from maxmargin.solvers.answers.answer_text import NamedAnswer, Names
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.limits import EXACT_LIMIT, Limits
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError, option
from maxmargin.solvers.problem.problem import ClassProblem, Problem
from maxmargin.text.data_error import listed, nearest, quoted

if TYPE_CHECKING:
    from maxmargin.explaining.separability_answer import Separability
    from maxmargin.solvers.problem.candidate import Asked
    from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

Answer = TypeVar("Answer", bound=NamedAnswer)

# The forms of y, for messages.
EXPECTED_LABELS = "the labels of the rows, the name of their column in a data frame, or a formula"

# Time limit of the verdict without the columns that are dependent up to rounding.
_SECONDS_WITHOUT = 10.0

# Number of different whole numbers above which labels may be counts.
_MANY_COUNTS = 5

_NAME = r"(`[^`]+`|[^\W\d][\w.]*)"

# Responses of two columns, which only families have: a time with its status, and successes with failures.
SURVIVAL = re.compile(rf"\s*Surv\(\s*{_NAME}\s*,\s*{_NAME}\s*\)\s*(~.*)", re.DOTALL)
COUNTS = re.compile(rf"\s*{_NAME}\s*\+\s*{_NAME}\s*(~.*)", re.DOTALL)

# Libraries that make a data frame where the caller passed none; the last one is always installed.
_PREFERRED = ("pandas", "polars", "pyarrow")


@dataclass(frozen=True, kw_only=True)
class Question:
    """The data of a verb, and whether its question is about hyperplanes with a bias.

    Attributes
    ----------
    dataset : Dataset
        The rows with their labels.
    bias : bool
        Whether the hyperplanes have a bias.
    names : Names
        The names of the rows and the columns.
    weights : object
        The weights of the rows as the solvers take them; None if all are 1.
    limits : Limits
        The time limit, which counts from the call of the verb or the start of the command.
    """

    dataset: Dataset
    bias: bool
    names: Names
    weights: Any = None
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        *,
        bias: bool | None = None,
        positive: object = None,
        time_limit: float | Limits | None = None,
    ) -> Self:
        """Return the question about these data.

        Parameters
        ----------
        X : array_like, SciPy sparse array, data frame, Dask collection, Dataset, or what `maxmargin.generate` returns
            The rows. The text columns of a data frame are coded as columns of 0 and 1, one for every level but the
            first.
        y : array_like, str or None
            The labels; the name of their column in the data frame; or a formula such as ``"died ~ age + C(stage)"``. A
            column of exactly this name comes before a formula. None if `X` is a Dataset, which has its labels.
        bias : bool, optional
            Whether hyperplanes have a bias. By default they do, unless a formula leaves the intercept out.
        positive : label, optional
            The label that is +1, against all others.
        time_limit : float or Limits, optional
            Seconds for the whole question, this call included.

        Raises
        ------
        InvalidProblemError
            If the data do not state a question.
        InvalidOptionError
            If `bias` contradicts the formula, or the time limit is not positive.
        """
        limits = time_limit if isinstance(time_limit, Limits) else Limits(time_limit=time_limit)
        whole = whole_data(X, y)
        if whole is not None:
            return replace(cls._of_dataset(whole, bias, positive), limits=limits)
        table = parts_of(X, y, bias=bias)
        ids = index_of_rows(X, table.labels)
        dataset = features_and_labels(table, positive=positive, source=name_of(X), row_names=ids)
        library = dataset.library if table.read_as is None else library_of(X, table.labels)
        dataset = replace(dataset, read_as=table.read_as)
        columns = dataset.feature_names if hasattr(table.features, "columns") else None
        notes = (*dataset.notes, *_order_note(table.labels, dataset))
        frame = partial(frame_of, library, index_name=name_of_index(X, table.labels))
        names = replace(names_of(dataset), ids=ids, columns=columns, notes=notes, frame=frame)
        return cls(dataset=dataset, bias=table.has_intercept, names=names, limits=limits)

    @classmethod
    def _of_dataset(cls, dataset: Dataset, bias: bool | None, positive: object) -> Self:
        if dataset.has_intercept is None:
            bias = has_bias(bias)
        else:
            _check_bias(bias, dataset.has_intercept, "the formula by which X was read")
            bias = dataset.has_intercept
        if positive is not None:
            dataset = replace(dataset.one_vs_rest(positive), positive_reason=CHOSEN)
        return cls(dataset=dataset, bias=bias, names=names_of(dataset))

    @classmethod
    def weighted(
        cls,
        X: Any,
        y: Any,
        *,
        bias: bool | None,
        positive: object,
        sample_weight: Any,
        class_weight: Mapping[Any, float] | str | None,
        time_limit: float | None,
    ) -> Self:
        """Return the question about these data and weights.

        Raises
        ------
        InvalidProblemError
            If the data do not state a question about two classes, or the weights are not those of these rows.
        """
        check_row_names(X=X, y=y, sample_weight=sample_weight)
        question = cls.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
        problem_of(question.dataset)  # refuses more than two classes before their weights are read
        return replace(question, weights=row_weights(question.dataset, sample_weight, class_weight))

    @cached_property
    def problem(self) -> Problem:
        """The rows with their signs.

        Raises
        ------
        InvalidProblemError
            If the data do not state a question about two classes.
        """
        return problem_of(self.dataset, bias=self.bias)

    def named(self, answer: Answer) -> Answer:
        """Return the answer with the names of the data, the class that is +1, and why it is."""
        return with_names(answer, self.dataset, self.names)

    def answered(self, solve: Callable[..., Answer], **options: Any) -> Answer:
        """Return the named answer of a solver to which the problem, these options and the time left are passed."""
        return self.named(solve(self.problem, **options, time_limit=self.limits.share()))


def with_names(answer: Answer, dataset: Dataset, names: Names | None = None) -> Answer:
    """Return the answer with the class that is +1, why it is, and the names of the data unless others are given."""
    of_classes = {name: getattr(dataset, name) for name in ("positive", "positive_reason", "negative")}
    return replace(answer, names=names_of(dataset) if names is None else names, **of_classes)


def separability_of(
    dataset: Dataset,
    reading: DecimalReading | None,
    names: Names | None = None,
    *,
    bias: bool = True,
    method: str = "auto",
    solver: "Asked" = None,
    **limits: Any,
) -> "Separability":
    """Return the answer for a data set or a part of it; with a reading, about its exact numbers.

    The names are those of the data set unless others are given. The other options are those of `separability`.

    Raises
    ------
    InvalidOptionError
        If a method or a solver is chosen for more than two classes.
    """
    options: dict[str, Any] = {"method": method, "solver": solver} if dataset.is_binary else {}
    if not dataset.is_binary and (method != "auto" or solver is not None):
        n_classes = len(dataset.classes)
        raise InvalidOptionError(f"{n_classes} classes are decided by one engine: leave method and solver out")
    if reading is not None:
        state: Any = reading.problem_of if dataset.is_binary else reading.class_problem_of
    else:
        state = partial(problem_of if dataset.is_binary else class_problem_of, needs_columns=False)
    answer = named(decide(state(dataset, bias=bias), **options, **limits), dataset, names)
    if reading is None or answer.certificate is None:
        return answer
    return replace(answer, certificate=reading.restated(answer.certificate))


def decide(
    problem: Problem | ClassProblem, *, exact_limit: int | None = None, time_limit: float | None = None, **options: Any
) -> "Separability":
    """Decide the question of a problem; the options are those of `separability`."""
    from maxmargin.solvers.separability.feasibility import separability as of_two
    from maxmargin.solvers.separability.multinomial import multinomial as of_more

    limits = Limits(time_limit=time_limit, exact_limit=EXACT_LIMIT if exact_limit is None else exact_limit)
    ask: Any = of_two if isinstance(problem, Problem) else of_more
    return with_near(ask(problem, exact_limit=limits.exact_limit, time_limit=time_limit, **options), problem, limits)


def with_near(verdict: "ProvenVerdict", problem: Problem | ClassProblem, limits: Limits) -> "Separability":
    """Return the answer with a search for nearly aliased columns, which runs when it is asked for them."""
    from maxmargin.explaining.separability_answer import Separability
    from maxmargin.solvers.separability.near_aliases import NearAliases

    seconds = min(limits.share() or _SECONDS_WITHOUT, _SECONDS_WITHOUT)

    def verdict_on(part: Problem | ClassProblem) -> Verdict:
        return decide(part, exact_limit=limits.exact_limit, time_limit=seconds).verdict

    near = NearAliases(samples=problem, decide=verdict_on)
    return Separability.of(verdict, find_near=lambda: near)


def named(verdict: "ProvenVerdict", dataset: Dataset, names: Names | None = None) -> "Separability":
    """Return the answer with the names of rows, columns and classes; those of the data set unless others are given."""
    from maxmargin.explaining.separability_answer import Separability

    class_names = None if dataset.is_binary else tuple(str(label) for label in dataset.classes)
    answer = Separability.of(verdict, class_names=class_names)
    return with_names(answer, dataset, names)


def whole_data(X: Any, y: Any = None) -> Dataset | None:
    """Return the data set that X is, rows and labels, if it is one of `maxmargin.load` or `maxmargin.generate`.

    Raises
    ------
    InvalidProblemError
        If it is one, and labels are given beside it.
    """
    if isinstance(X, Generated | Dataset) and y is not None:
        is_formula = isinstance(y, str) and "~" in y
        how = f" and a formula is given to maxmargin.load, as {option('formula')}" if is_formula else ""
        raise InvalidProblemError(f"X is a Dataset, which has its own labels; leave out y{how}")
    if isinstance(X, Generated):
        return from_arrays(X.X, X.y, feature_names=X.feature_names, source=X.full_name)
    return X if isinstance(X, Dataset) else None


def parts_of(X: Any, y: Any, *, bias: bool | None) -> Modelled:
    """Return the columns and the labels that a question is about, for rows that are not in a Dataset.

    Raises
    ------
    InvalidProblemError
        If y is neither labels, nor the name of a column of X, nor a formula about its columns.
    """
    if y is None and isinstance(X, str | os.PathLike):
        raise InvalidProblemError(f"X is {quoted(os.fspath(X))}; expected rows: maxmargin.load reads them by this name")
    if y is None:
        raise InvalidProblemError(f"y is None; expected {EXPECTED_LABELS}, or a Dataset in place of X")
    if type(y) in (int, float) and is_from_table_library(X):
        y = str(y)  # a column called by a number
    if not isinstance(y, str):
        return Modelled(features=X, labels=y, has_intercept=has_bias(bias))
    if not is_from_table_library(X):
        expected = "its labels themselves, as in X[['a', 'b']], X['y']" if is_dask(X) else EXPECTED_LABELS
        kind = "a Dask collection" if is_dask(X) else "no data frame"
        raise InvalidProblemError(f"y is {quoted(y)} and X is {kind}; expected {expected}")
    columns = column_names(X)
    if columns == (y,):
        raise InvalidProblemError(f"X has no column but {quoted(y)}, the labels; expected at least one more")
    if y in columns:
        import narwhals as nw

        features, notes = without_index(with_distinct_names(X), f"{y} ~ .")
        columns, table = column_names(features), nw.from_native(features, eager_only=True)
        own_name = table.columns[columns.index(y)]  # which may be a number
        rest = table.select([nw.col(name) for name in table.columns if name != own_name]).to_native()
        labels = table.get_column(own_name).to_native()
        # A file is coded with an intercept, so that without one it is not read as these data.
        read_as = {"label": str(y), "one_hot": True} if has_bias(bias) else None
        return Modelled(
            features=rest, labels=labels, has_intercept=has_bias(bias), label_name=y, read_as=read_as,
            notes=notes,
        )  # fmt: skip
    if "~" not in y:
        hint = nearest(y, columns)
        raise InvalidProblemError(
            f"y is {quoted(y)}; expected one of the columns {listed(columns)}, or a formula such as 'y ~ x'"
            f"{f' ({hint})' if hint else ''}"
        )
    modelled = read_formula(y, X)
    _check_bias(bias, modelled.has_intercept, f"the formula {quoted(y)}")
    return modelled


def _check_bias(bias: bool | None, has_intercept: bool, formula: str) -> None:
    if bias is None or has_bias(bias) == has_intercept:
        return
    how = "has an intercept" if has_intercept else "has no intercept"
    advice = "write 0 + in it for none" if has_intercept else "take 0 + or - 1 out of it for one"
    raise InvalidOptionError(
        f"{option('bias', str(bias))} was given, but {formula} {how}; leave out {option('bias')}, as the formula "
        f"decides: {advice}"
    )


def has_bias(bias: bool | None) -> bool:
    """Return whether hyperplanes have a bias; None is the default, that they have.

    Raises
    ------
    InvalidOptionError
        If `bias` is neither True, False nor None.
    """
    if not isinstance(bias, bool | np.bool_ | None):
        raise InvalidOptionError(f"bias is {bias!r}; expected True or False")
    return bias is None or bool(bias)


def names_of(dataset: Dataset) -> Names:
    """Return the positions of the rows in the source, their names, and the names of the columns and of the labels."""
    return Names(
        positions=dataset.rows,
        ids=dataset.row_ids,
        columns=dataset.feature_names,
        label=dataset.label_name,
        notes=dataset.notes,
        factors=dataset.factors,
        frame=partial(frame_of, dataset.library),
    )


def frame_of(
    library: str | None,
    columns: Mapping[str, Sequence[Any]],
    *,
    index: Sequence[Any] | None = None,
    index_name: Any = None,
) -> Any:
    """Return a data frame of this library; without one, of pandas, Polars or Arrow, whichever is installed first.

    Parameters
    ----------
    library : str or None
    columns : dict of str to sequence
    index : sequence, optional
        The labels of the rows; data frames without an index leave them out.
    index_name : str, optional
        What they are called.
    """
    import narwhals as nw

    wanted: Any = library or next(name for name in _PREFERRED if find_spec(name) is not None)
    frame: Any = nw.from_dict(dict(columns), backend=wanted).to_native()
    if index is None or wanted not in LIBRARIES_WITH_INDEX:
        return frame
    frame.index = index
    return frame if index_name is None else frame.rename_axis(index_name)


def _order_note(labels: Any, dataset: Dataset) -> tuple[str, ...]:
    """Return a note on the order of more than two classes, if the labels are an ordered categorical series."""
    kind: Any = getattr(labels, "dtype", None)
    if dataset.is_binary or getattr(kind, "ordered", None) is not True:
        return ()
    present = {*map(str, dataset.classes)}
    order = " < ".join(label for label in map(str, kind.categories) if label in present)
    return (
        f"{dataset.label_name}: the order {order} is not used: the model is multinomial; for a model that uses it, "
        "give maxmargin.check_model a fitted OrderedModel of statsmodels",
    )


def note_on_counts(dataset: Dataset) -> tuple[str, ...]:
    """Return a note on labels that may be counts: more than five whole numbers, none of them negative."""
    classes = () if dataset.is_binary else dataset.classes
    are_counts = all(isinstance(label, int | float) and label >= 0 and label % 1 == 0 for label in classes)
    text = f'{dataset.label_name} has {len(classes)} classes; if they are counts, ask with family="poisson"'
    return (text,) if are_counts and len(classes) > _MANY_COUNTS else ()


def has_two_responses(y: Any) -> bool:
    """Return whether the response of a formula is of two columns, which only families have."""
    return isinstance(y, str) and bool(SURVIVAL.fullmatch(y) or COUNTS.fullmatch(y))
