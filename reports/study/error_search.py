"""The fewest errors of any hyperplane, for a report on classes that none separates: within a count of steps."""

from maxmargin.api.question import with_names
from maxmargin.data.dataset import Dataset
from maxmargin.data.tabular.given import names_of
from maxmargin.explaining.separability_answer import Separability
from maxmargin.reports.study.report_settings import OUT_OF_TIME, Settings
from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.limits import INSTANT
from maxmargin.solvers.fewest_errors.fewest_solution import FewestErrors
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.text.number_formats import count


def errors_of_report(
    dataset: Dataset, problem: Problem, answer: Separability, settings: Settings, time_limit: float | None
) -> tuple[FewestErrors | None, str]:
    """Return the proven interval of the fewest errors, and why there is none.

    Parameters
    ----------
    dataset : Dataset
    problem : Problem
    answer : Separability
        Of this problem.
    settings : Settings
    time_limit : float or None
        Seconds; None where only the steps of the search are limited.

    Raises
    ------
    KeyboardInterrupt
        If the search was interrupted: half a report would look like a whole one.
    """
    why = _reason(problem, answer, settings.sizes.error_numbers)
    if why:
        return None, why
    if time_limit is not None and time_limit <= INSTANT:
        return None, OUT_OF_TIME
    from maxmargin.solvers.fewest_errors.minimum import fewest_errors

    found = fewest_errors(problem, verdict=answer, time_limit=time_limit, most_steps=settings.sizes.error_steps)
    return with_names(uninterrupted(found), dataset, names_of(dataset)), ""


def _reason(problem: Problem, answer: Separability, most_numbers: int) -> str:
    """Return why nothing is searched, "" if it is."""
    if answer.strictly_separable:
        return "the classes are strictly separable, so some hyperplane makes no error"
    if not isinstance(problem.row_source, InMemory):
        return "the rows are outside memory"
    n_numbers = problem.n_samples * problem.n_features
    if n_numbers > most_numbers:
        return f"the rows hold {count(n_numbers)} numbers, and the search is made for up to {count(most_numbers)}"
    return ""
