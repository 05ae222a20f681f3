"""All parts of a study of two classes, and the study that computes them."""

import time

from maxmargin.data.dataset import Dataset
from maxmargin.reports.study.parts.bounds_part import BOUNDS
from maxmargin.reports.study.parts.centred_part import CENTRED
from maxmargin.reports.study.parts.fewest_errors_part import FEWEST_ERRORS
from maxmargin.reports.study.parts.hard_margin_part import HARD_MARGIN
from maxmargin.reports.study.parts.orders_part import ORDERS, check_orders
from maxmargin.reports.study.parts.run_part import RUN
from maxmargin.reports.study.parts.soft_margin_part import SOFT_MARGIN
from maxmargin.reports.study.parts.standardized_part import STANDARDIZED
from maxmargin.reports.study.parts.verdict_part import VERDICT
from maxmargin.reports.study.report_settings import OnProgress, ReportSettings
from maxmargin.reports.study.two_class_study import TwoClassStudy, Workspace, prepared_problem
from maxmargin.solvers.engines.interior_point.interior_point import one_thread_each
from maxmargin.theory.mistake_traces import FEWEST_POINTS

# The parts in the order in which they are computed; each may use the results of those before it.
PARTS = (VERDICT, RUN, HARD_MARGIN, SOFT_MARGIN, FEWEST_ERRORS, BOUNDS, CENTRED, STANDARDIZED, ORDERS)


def study_two_classes(
    dataset: Dataset, settings: ReportSettings, *, on_progress: OnProgress | None = None
) -> TwoClassStudy:
    """Compute all parts of the study of a data set of two classes.

    Raises
    ------
    InvalidProblemError
        If the data do not state a two-class question, or an option is not one of its values.
    KeyboardInterrupt
        If a part was interrupted: half a report would look like a whole one.
    """
    check_orders(settings.orders, is_in_memory=dataset.is_in_memory)
    limits = settings.limits
    study = TwoClassStudy(dataset=dataset, settings=settings, problem=prepared_problem(dataset, settings))
    workspace = Workspace(limits=limits, on_progress=on_progress)
    with one_thread_each(study.problem):
        for part in PARTS:
            began, workspace.limits = time.perf_counter(), limits.part(part.n_shares)
            part.compute(study, workspace)
            study.seconds[part.name] = time.perf_counter() - began
    study.most_traced = FEWEST_POINTS if limits.is_over() else settings.sizes.traced_mistakes
    return study
