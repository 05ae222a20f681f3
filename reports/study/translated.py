"""The same question for centred and translated rows, other bias scales and prepared features."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.dataset import Dataset
from maxmargin.data.outofcore.derived import Derived
from maxmargin.data.preparing import How, prepare
from maxmargin.explaining.separability_answer import Separability
from maxmargin.reports.study.report_settings import OUT_OF_TIME, Settings
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.problem.problem import Problem, radius
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.text.number_formats import count
from maxmargin.theory.translation_study import StudiedPoint, preparation_study, scale_study, translation_study

_FEW_NUMBERS = 4_000
"""Largest number of entries of X for which more points are computed."""

_SHIFTS = (-1.0, 0.0, 1.0, 4.0)
_MORE_SHIFTS = (-1.0, -0.5, 0.0, 1.0, 4.0)
_SCALES = (2.0**-4, 1.0, 2.0**4)
_MORE_SCALES = (2.0**-4, 2.0**-2, 1.0, 2.0**2, 2.0**4)

_PREPARATIONS = (How.RAW, How.CENTER, How.STANDARDIZE)

_WHAT_IS_KNOWN = {
    Verdict.OVERLAP: "the classes overlap",
    Verdict.QUASI_SEPARABLE: "the classes are only quasi-separable",
    Verdict.UNDECIDED: "the classes are not proven to be separable",
}
"""What the verdict says of classes that are not proven to be strictly separable."""

MOST_MISTAKES, _MOST_PRESENTATIONS = 50_000, 30_000_000
"""Limits of mistakes and of presentations of every run; in the worst case an epoch has a single mistake."""

_AT_THE_MEAN = 1e-9
"""Largest modulus of the mean of centred rows, as a fraction of R."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """The perceptron and its bounds on translated rows, at other bias scales and on prepared features.

    Attributes
    ----------
    shifts : tuple of StudiedPoint
        By the multiple of the mean by which the rows were translated.
    scales : tuple of StudiedPoint
        By the bias scale.
    preparations : tuple of StudiedPoint
        Raw, centred, standardised; of the data as read.
    reason : str
        Why there are no points.
    no_shifts : str
        Why there are no shifts among them.
    """

    shifts: tuple[StudiedPoint, ...] = ()
    scales: tuple[StudiedPoint, ...] = ()
    preparations: tuple[StudiedPoint, ...] = ()
    reason: str = ""
    no_shifts: str = ""

    @property
    def ratios(self) -> dict[str, float | None]:
        """The greatest number of mistakes divided by the least, by study, among the runs that converged.

        None where no two of them did.
        """
        studies = {"shift": self.shifts, "scale": self.scales, "preparation": self.preparations}
        return {
            name: _ratio([point.n_mistakes for point in found if point.converged]) for name, found in studies.items()
        }

    @property
    def ratio(self) -> float | None:
        """The greatest of the `ratios`; None if there is none."""
        return max((ratio for ratio in self.ratios.values() if ratio is not None), default=None)


def _ratio(counts: list[int]) -> float | None:
    return max(counts) / max(1, min(counts)) if len(counts) > 1 else None


def translated(
    dataset: Dataset,
    problem: Problem,
    answer: Separability,
    settings: Settings,
    limits: Limits,
) -> Translated:
    """Translate the rows of a problem, change the bias scale, and prepare the rows of its data set."""
    reason = OUT_OF_TIME if limits.is_over() else _reason(problem, answer, settings.sizes.translated_numbers)
    if reason:
        return Translated(reason=reason)
    most = min(settings.max_mistakes or MOST_MISTAKES, MOST_MISTAKES, _MOST_PRESENTATIONS // problem.n_samples)
    is_small = problem.n_samples * problem.n_features <= _FEW_NUMBERS
    shifts = _MORE_SHIFTS if is_small else _SHIFTS
    factors = _MORE_SCALES if is_small else _SCALES
    X, y = problem.X, problem.y
    no_shifts = "the mean of the rows is 0 already" if _is_centred(problem) else ""
    options: dict[str, Any] = {"bias_scale": settings.bias_scale, "max_mistakes": most}
    try:
        moved = () if no_shifts else translation_study(X, y, shifts=shifts, time_limit=limits.share(3), **options)
        scales = scale_study(X, y, factors=factors, max_mistakes=most, time_limit=limits.share(2))
        prepared = preparation_study(dataset.X, y, preparations=_PREPARATIONS, time_limit=limits.share(), **options)
    except InvalidProblemError as error:
        return Translated(reason=str(error))
    return Translated(shifts=moved, scales=scales, preparations=prepared, no_shifts=no_shifts)


def _reason(problem: Problem, answer: Separability, most_numbers: int) -> str:
    """Return why nothing is translated, "" if it is."""
    if not problem.bias:
        return "through the origin, the maximum margin itself changes with a translation"
    if not isinstance(problem.row_source, InMemory):
        return "the rows are outside memory"
    if not answer.strictly_separable:
        return f"{_WHAT_IS_KNOWN[answer.verdict]}, so there is no maximum margin to compare with"
    n_numbers = problem.n_samples * problem.n_features
    if n_numbers > most_numbers:
        return f"the rows hold {count(n_numbers)} numbers, and only up to {count(most_numbers)} are translated"
    return ""


def _is_centred(problem: Problem) -> bool:
    with np.errstate(over="ignore"):
        mean = np.abs(problem.dense_rows(slice(None)).mean(axis=0)).max()
    return bool(mean <= _AT_THE_MEAN * radius(problem))


def moved_to_mean_0(problem: Problem) -> Problem:
    """Return the problem of the rows x - mean.

    Raises
    ------
    InvalidProblemError
        The range of a column is too large for binary64, or sparse rows are too many to be made dense.
    """
    if not isinstance(problem.row_source, InMemory):
        return centred(problem)
    return replace(problem, X=prepare(problem.X, How.CENTER).X, known_bounds=None)


def column_means(problem: Problem) -> Floats:
    """Return the mean of every column, without overflow on the way; of a constant column its value."""
    low, high = problem.column_bounds
    exponents = np.frexp(problem.column_sizes)[1]
    total = np.sum([*problem.map(partial(_sums, exponents))], axis=0)
    return np.where(low == high, low, np.ldexp(total / problem.n_samples, exponents))


def _sums(exponents: NDArray[Any], rows: slice, X: Floats) -> Floats:
    result: Floats = np.ldexp(X, -exponents).sum(axis=0)
    return result


def centred(problem: Problem) -> Problem:
    """Return the problem of the rows x - mean, which are made while x are read.

    Raises
    ------
    InvalidProblemError
        The range of a column is too large for binary64.
    """
    moved = about_the_mean(problem)
    is_finite = np.isfinite(moved.column_bounds).all(axis=0)
    if not is_finite.all():
        raise InvalidProblemError(
            f"column {int(np.argmin(is_finite))} cannot be centred: its range is too large for binary64"
        )
    return moved


def about_the_mean(problem: Problem) -> Problem:
    """Return the same, where columns of too large a range may overflow: for estimates."""
    means = column_means(problem)
    low, high = problem.column_bounds
    bounds = _moved(means, low), _moved(means, high)
    return replace(problem, X=Derived(problem.row_source, partial(_moved, means), bounds), known_bounds=bounds)


def _moved(means: Floats, X: Floats) -> Floats:
    with np.errstate(over="ignore"):
        result: Floats = X - means
    return result
