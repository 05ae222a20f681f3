"""The fewest errors of any hyperplane, if none separates the classes: within a count of steps."""

from typing import Any

from maxmargin.api.question import names_of, with_names
from maxmargin.reports.study.report_settings import OUT_OF_TIME
from maxmargin.reports.study.summary_fields import chosen, row_fields
from maxmargin.reports.study.two_class_study import Part, TwoClassStudy, Workspace
from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.limits import INSTANT
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.text.number_formats import count

_OF_FEWEST_ERRORS = ("lower", "upper", "status", "n_nodes", "engine")


def _compute(study: TwoClassStudy, workspace: Workspace) -> None:
    time_limit = workspace.limits.share()
    study.errors, study.why_no_errors = None, _why_not_searched(study)
    if study.why_no_errors:
        return
    if time_limit is not None and time_limit <= INSTANT:
        study.why_no_errors = OUT_OF_TIME
        return
    from maxmargin.solvers.fewest_errors.minimum import fewest_errors

    most_steps = study.settings.sizes.error_steps
    found = fewest_errors(study.problem, verdict=study.separability, time_limit=time_limit, most_steps=most_steps)
    study.errors = with_names(uninterrupted(found), study.dataset, names_of(study.dataset))


def _why_not_searched(study: TwoClassStudy) -> str:
    """Return why nothing is searched, "" if it is."""
    problem, most_numbers = study.problem, study.settings.sizes.error_numbers
    if study.separability.strictly_separable:
        return "the classes are strictly separable, so some hyperplane makes no error"
    if not isinstance(problem.row_source, InMemory):
        return "the rows are outside memory"
    n_numbers = problem.n_samples * problem.n_features
    if n_numbers > most_numbers:
        return f"the rows hold {count(n_numbers)} numbers, and the search is made for up to {count(most_numbers)}"
    return ""


def _fields(study: TwoClassStudy) -> dict[str, Any]:
    """Return the proven interval of the fewest errors with the rows in error, or why there is none."""
    best = study.errors
    if best is None:
        return {"fewest_errors": {"reason": study.why_no_errors}}
    rows = [row_fields(study.dataset, row) for row in best.error_rows.tolist()]
    return {"fewest_errors": {"reason": None, **chosen(best.fields(), _OF_FEWEST_ERRORS), "rows": rows}}


FEWEST_ERRORS = Part(name="fewest_errors", n_shares=3, compute=_compute, fields=_fields)
