"""The questions people ask, for arrays of any kind: labels become signs here, the answers come from the solvers."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from maxmargin.data.dataset import Dataset, from_arrays
from maxmargin.data.decimal_reading import DecimalReading
from maxmargin.data.problems import class_problem_of as class_problem_of
from maxmargin.data.problems import problem_of as problem_of
from maxmargin.solvers.answers.named import NamedAnswer
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem.problem import ClassProblem, Problem

if TYPE_CHECKING:
    import numpy as np

    from maxmargin.solvers.fewest_errors.fewest_solution import FewestErrors
    from maxmargin.solvers.fewest_errors.total_slack import TotalSlack
    from maxmargin.solvers.hard_margin.hard_solution import HardMargin
    from maxmargin.solvers.perceptron.result import PerceptronRun
    from maxmargin.solvers.perceptron.settings import Progress
    from maxmargin.solvers.separability.separability_solution import Separability
    from maxmargin.solvers.soft_margin.soft_solution import NuMargin, SoftMargin

Answer = TypeVar("Answer", bound=NamedAnswer)


def separability(
    X: Any,
    y: Any,
    *,
    bias: bool = True,
    positive: object = None,
    method: str = "auto",
    solver: str | None = None,
    time_limit: float | None = None,
    exact_limit: int | None = None,
) -> "Separability":
    """Decide, in exact arithmetic, whether the classes are separable, quasi-separable, or overlap.

    More than two classes are asked the multinomial question: can scores, one a class, put every row's own class first?

    Parameters
    ----------
    X : array_like, SciPy sparse array, or table, of shape (n_samples, n_features)
    y : array_like (n_samples,)
        Two different labels: the affirmative one of a known pair (yes/no, +/-, true/false, case/control,
        positive/negative and the like) is +1, else the greater one in sorted order; ``positive_reason`` of the answer
        says which it was. Or more.
    bias : bool
        False: hyperplanes through the origin only.
    positive : label, optional
        The label that is +1, against all others.
    method : {"auto", "highs", "cvxpy"}
        Who proposes the first hyperplane.
    solver : str, optional
        A cvxpy solver, such as "CLARABEL".
    time_limit : float, optional
        Seconds after which the search is given up and the verdict is `undecided`. Default: none.
    exact_limit : int, optional
        The greatest number of columns, the bias counted, for which numbers are solved exactly; for two classes of
        sparse rows twice as many. Default: 1000.

    Raises
    ------
    InvalidProblemError
        If the data are not finite numbers with at least two classes.

    Examples
    --------
    >>> separability([[1.0], [2.0], [4.0]], ["no", "no", "yes"]).verdict.value
    'separable'
    >>> quasi = separability([[1.0], [2.0], [2.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> quasi.verdict.value, quasi.touching_rows.tolist(), quasi.infinite_columns
    ('quasi-separable', [1, 2], {'(Intercept)': '-', 0: '+'})
    """
    dataset = from_arrays(X, y, positive=positive)
    options: dict[str, Any] = {"method": method, "solver": solver} if dataset.is_binary else {}
    if not dataset.is_binary and (method != "auto" or solver is not None):
        n_classes = len(dataset.classes)
        raise InvalidOptionError(f"{n_classes} classes are decided by one engine: leave method and solver out")
    reading = DecimalReading.of(dataset)
    answer = decided(dataset, reading, bias=bias, time_limit=time_limit, exact_limit=exact_limit, **options)
    named = with_names(answer, dataset)
    return named if hasattr(X, "columns") else replace(named, feature_names=None)


def decided(dataset: Dataset, reading: DecimalReading | None, *, bias: bool, **options: Any) -> "Separability":
    """Return the answer for a data set or a part of it, about its exact numbers where there is a reading of these.

    Options are those of `separability`.
    """
    asked: Any = (
        (problem_of if dataset.is_binary else class_problem_of)
        if reading is None
        else (reading.problem_of if dataset.is_binary else reading.class_problem_of)
    )
    answer = decide(asked(dataset, bias=bias), **options)
    if reading is None or answer.certificate is None:
        return answer
    return replace(answer, certificate=reading.restated(answer.certificate))


def decide(problem: Problem | ClassProblem, *, exact_limit: int | None = None, **options: Any) -> "Separability":
    """Decide the question of a problem; options are those of `separability`."""
    from maxmargin.solvers.basics.limits import EXACT_LIMIT
    from maxmargin.solvers.separability.feasibility import separability as of_two
    from maxmargin.solvers.separability.multinomial import multinomial as of_more

    limit = EXACT_LIMIT if exact_limit is None else exact_limit
    if isinstance(problem, Problem):
        return of_two(problem, exact_limit=limit, **options)
    return of_more(problem, exact_limit=limit, **options)


def with_names(answer: "Separability", dataset: Dataset) -> "Separability":
    """Return the answer with the names of columns and classes."""
    names = tuple(str(label) for label in dataset.classes)
    class_names = None if dataset.is_binary else names
    return with_positive(replace(answer, feature_names=dataset.feature_names, class_names=class_names), dataset)


def with_positive(answer: Answer, dataset: Dataset) -> Answer:
    """Return the answer with the class that is +1, and why it is."""
    return replace(answer, positive=dataset.positive, positive_reason=dataset.positive_reason)


def hard_margin(
    X: Any,
    y: Any,
    *,
    bias: bool = True,
    positive: object = None,
    method: str = "auto",
    solver: str | None = None,
    exact: bool = False,
    exact_limit: int | None = None,
    time_limit: float | None = None,
) -> "HardMargin":
    """Find the hyperplane of maximum margin: min 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1.

    Parameters
    ----------
    X, y, bias, positive
        As in `separability`.
    method : {"auto", "textbook", "working-set", "dual-coordinate", "daqp", "cvxpy"}
        "auto": by size and shape, a working set of rows, descent along single multipliers, or DAQP; the textbook
        program through cvxpy follows where the interval stays wide, and "textbook" asks cvxpy in place of DAQP.
    solver : str, optional
        A cvxpy solver, such as "CLARABEL".
    exact : bool
        Whether to find ``margin_squared``, ``w_exact``, ``b_exact`` and ``dual_exact`` as fractions.
    exact_limit : int, optional
        The greatest number of columns, the bias counted, for which that is tried; by default 500.
    time_limit : float, optional
        Seconds after which work stops; the answer is then the interval proven so far. Default: none.

    Examples
    --------
    >>> answer = hard_margin([[10.0], [40.0], [60.0], [90.0]], [0, 0, 1, 1])
    >>> bool(answer.lower <= 10 <= answer.upper)
    True
    >>> hard_margin([[10.0], [40.0], [60.0], [90.0]], [0, 0, 1, 1], exact=True).w_exact
    (Fraction(1, 10),)
    """
    from maxmargin.solvers.hard_margin.hard_margin import EXACT_LIMIT
    from maxmargin.solvers.hard_margin.hard_margin import hard_margin as solve

    dataset = from_arrays(X, y, positive=positive)
    answer = solve(
        problem_of(dataset, bias=bias),
        method=method,
        solver=solver,
        exact=exact,
        exact_limit=EXACT_LIMIT if exact_limit is None else exact_limit,
        time_limit=time_limit,
    )
    return with_positive(answer, dataset)


def soft_margin(
    X: Any,
    y: Any,
    C: float = 1.0,
    *,
    bias: bool = True,
    positive: object = None,
    sample_weight: Any = None,
    class_weight: Mapping[Any, float] | str | None = None,
    method: str = "auto",
    solver: str | None = None,
    time_limit: float | None = None,
) -> "SoftMargin":
    """Solve the soft-margin SVM with a free bias: min 1/2 ||w||^2 + C sum v_i xi_i.

    Parameters
    ----------
    X, y, bias, positive
        As in `separability`.
    C : float
        Price of a unit of slack, positive (scikit-learn's and LIBSVM's C).
    sample_weight : array_like (n_samples,), optional
        v_i >= 0; by default 1. Rows of weight 0 have no say. Numbers that binary64 does not hold are refused.
    class_weight : mapping of label to float, "balanced" or None
        Factors of v_i by label, 1 for labels that are not in the mapping. "balanced": n_samples / (2 n) for each of
        the two sides of n rows.
    method : {"auto", "textbook", "cvxpy", "working-set", "interior-point", "dual-coordinate"}
        "auto": by size and shape; the textbook program through cvxpy follows where the interval stays wide, and
        "textbook" hands small data to cvxpy in any case.
    solver : str, optional
        A cvxpy solver, such as "CLARABEL".
    time_limit : float, optional
        Seconds after which work stops, with what is proven by then and the status `limit`. Default: none.

    Examples
    --------
    >>> answer = soft_margin([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], C=1.0)
    >>> answer.lower <= answer.objective
    True
    """
    answers = soft_margin_path(
        X, y, (C,), bias=bias, positive=positive, sample_weight=sample_weight, class_weight=class_weight,
        method=method, solver=solver, time_limit=time_limit,
    )  # fmt: skip
    return answers[0]


def soft_margin_path(
    X: Any,
    y: Any,
    Cs: Iterable[float],
    *,
    bias: bool = True,
    positive: object = None,
    sample_weight: Any = None,
    class_weight: Mapping[Any, float] | str | None = None,
    method: str = "auto",
    solver: str | None = None,
    time_limit: float | None = None,
) -> "tuple[SoftMargin, ...]":
    """Solve the soft-margin SVM for several C, in their order; other parameters are those of `soft_margin`.

    Examples
    --------
    >>> answers = soft_margin_path([[-1.0], [1.0]], [0, 1], [0.125, 1.0, 1e6])
    >>> [round(answer.objective, 6) for answer in answers]
    [0.21875, 0.5, 0.5]
    """
    from maxmargin.data.arrays import check_row_names
    from maxmargin.data.weights import row_weights
    from maxmargin.solvers.soft_margin.soft_margin import soft_margin_path as solve

    check_row_names(X=X, y=y, sample_weight=sample_weight)
    dataset = from_arrays(X, y, positive=positive)
    problem = problem_of(dataset, bias=bias)
    weights = row_weights(dataset, sample_weight, class_weight)
    answers = solve(problem, Cs, sample_weight=weights, method=method, solver=solver, time_limit=time_limit)
    return tuple(with_positive(answer, dataset) for answer in answers)


def nu_margin(
    X: Any,
    y: Any,
    nu: float = 0.5,
    *,
    bias: bool = True,
    positive: object = None,
    sample_weight: Any = None,
    class_weight: Mapping[Any, float] | str | None = None,
    method: str = "auto",
    solver: str | None = None,
    time_limit: float | None = None,
) -> "NuMargin":
    """Solve the nu-SVM with a free bias: min 1/2 ||w||^2 - nu rho + sum v_i xi_i / sum v.

    The constraints are y_i (w.x_i + b) >= rho - xi_i and xi_i >= 0. Rows with slack make up a share of nu at most, and
    support rows one of nu at least, counted by weight. Divided by ``rho`` the hyperplane is scikit-learn's NuSVC.

    Parameters
    ----------
    X, y, bias, positive, sample_weight, class_weight
        As in `soft_margin`; the share of a row is its v_i / sum v.
    nu : float
        Above 0; with bias at most twice the share of the lighter class, without 1.
    method : {"auto", "cvxpy", "interior-point"}
        "auto": for small data the textbook solution through cvxpy is always computed.
    solver : str, optional
        A cvxpy solver, such as "CLARABEL".
    time_limit : float, optional
        Seconds after which work stops, with what is proven by then and the status `limit`. Default: none.

    Raises
    ------
    InvalidProblemError
        If nu is beyond its range; the message names the greatest.

    Examples
    --------
    >>> answer = nu_margin([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], nu=1.0)
    >>> answer.lower <= -0.5 <= answer.objective
    True
    >>> round(-float(answer.b / answer.w[0]), 6)
    1.5
    """
    from maxmargin.data.arrays import check_row_names
    from maxmargin.data.weights import row_weights
    from maxmargin.solvers.soft_margin.nu_margin import nu_margin as solve

    check_row_names(X=X, y=y, sample_weight=sample_weight)
    dataset = from_arrays(X, y, positive=positive)
    weights = row_weights(dataset, sample_weight, class_weight)
    problem = problem_of(dataset, bias=bias)
    answer = solve(problem, nu, sample_weight=weights, method=method, solver=solver, time_limit=time_limit)
    return with_positive(answer, dataset)


def fewest_errors(
    X: Any,
    y: Any,
    *,
    bias: bool = True,
    positive: object = None,
    method: str = "auto",
    solver: str | None = None,
    time_limit: float | None = 60.0,
    max_rows: int | None = None,
) -> "FewestErrors":
    """Find the least number of rows with y (w.x + b) <= 0 over all hyperplanes: the fewest rows to drop.

    The problem is NP-hard; the answer is a proven interval [lower, upper] of whole numbers, closed where the time
    suffices. A row on the hyperplane is an error.

    Parameters
    ----------
    X, y, bias, positive
        As in `separability`.
    method : {"auto", "cvxpy"}
        "cvxpy": the textbook mixed-integer program proposes a hyperplane first.
    solver : str, optional
        The cvxpy solver for it, such as "HIGHS"; given, it is asked by "auto" as well.
    time_limit : float or None
        Seconds; None: no limit.
    max_rows : int, optional
        The greatest number of distinct rows of which all are searched; by default 2000. Of more the lower end comes
        from so many.

    Examples
    --------
    >>> answer = fewest_errors([[0, 0], [1, 1], [0, 1], [1, 0]], ["no", "no", "yes", "yes"])
    >>> answer.n_errors, answer.is_optimal
    (1, True)
    """
    from maxmargin.solvers.fewest_errors.minimum import MAX_ROWS
    from maxmargin.solvers.fewest_errors.minimum import fewest_errors as solve

    dataset = from_arrays(X, y, positive=positive)
    answer = solve(
        problem_of(dataset, bias=bias),
        method=method,
        solver=solver,
        time_limit=time_limit,
        max_rows=MAX_ROWS if max_rows is None else max_rows,
    )
    return with_positive(answer, dataset)


def least_total_slack(
    X: Any, y: Any, *, bias: bool = True, positive: object = None, time_limit: float | None = None
) -> "TotalSlack":
    """Find min sum xi subject to y (w.x + b) >= 1 - xi, xi >= 0: how much a hyperplane has to be wrong.

    It is 0 exactly for strictly separable data, and no fewer than the fewest errors.

    Parameters
    ----------
    X, y, bias, positive
        As in `separability`.
    time_limit : float, optional
        Seconds after which the interval that is proven by then is returned. Default: none.

    Examples
    --------
    >>> answer = least_total_slack([[0.0], [1.0], [2.0]], [0, 1, 0])
    >>> answer.lower, answer.upper
    (2.0, 2.0)
    """
    from maxmargin.solvers.fewest_errors.total_slack import least_total_slack as solve

    dataset = from_arrays(X, y, positive=positive)
    return with_positive(solve(problem_of(dataset, bias=bias), time_limit=time_limit), dataset)


def perceptron(
    X: Any,
    y: Any,
    *,
    bias: bool = True,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    zero: str = "mistake",
    order: str = "cyclic",
    max_epochs: int | None = None,
    max_mistakes: int | None = 10_000_000,
    time_limit: float | None = None,
    rng: "np.random.Generator | int | None" = None,
    method: str = "auto",
    on_progress: "Callable[[Progress], None] | None" = None,
    resume: "str | os.PathLike[str] | None" = None,
) -> "PerceptronRun":
    """Run Rosenblatt's perceptron from w = 0.

    The mistakes are those of exact arithmetic: scores so near 0 that rounding could decide them are computed exactly
    (``n_ties`` of them; ``n_uncertain`` could not be, of rows outside memory, or of large data after very many).

    Parameters
    ----------
    X, y, bias, positive
        As in `separability`.
    bias_scale : float or "best"
        The constant coordinate s that carries the bias; "best" is sqrt(R |b*|) with the maximum-margin hyperplane
        w*.x + b* = 0, ||w*|| = 1 (where b* = 0 the run goes through the origin).
    zero : {"mistake", "positive", "negative"}
        What y w.x = 0 is.
    order : {"cyclic", "shuffled-once", "reshuffled-each-epoch", "random"}
    max_epochs, max_mistakes : int or None
        Limits; None is none.
    time_limit : float, optional
        Seconds after which the run ends with ``stop_reason="time_limit"``, what is proven at its end included.
    rng : numpy.random.Generator or int, optional
        For the orders that draw.
    method : {"auto", "weights", "gram", "blocks", "integers"}
        With a vector of weights; with the Gram matrix of at most 2,048 rows; with weights and blocks of dense rows in
        an order that repeats itself, screened in single precision; or in Python's integers, without compiled code. By
        default a run of few short rows begins in integers. The mistakes are the same.
    on_progress : callable, optional
        Called about ten times a second with a `Progress`.
    resume : str or path, optional
        A file in which the run is kept every half minute, when it is interrupted and when it ends: the same call goes
        on from there, with other limits if you like.

    Raises
    ------
    InvalidProblemError
        If the data do not state a two-class question, an option is not one of these, or ``bias_scale="best"`` is
        asked for data without a proven separating hyperplane.
    DataError
        If the file to resume from is damaged, or of another run.

    Examples
    --------
    >>> perceptron([[10.0], [12.0]], [0, 1]).n_mistakes
    233
    """
    from maxmargin.api.running import run_perceptron

    dataset = from_arrays(X, y, positive=positive)
    run = run_perceptron(
        problem_of(dataset, bias=bias),
        bias_scale=bias_scale,
        zero=zero,
        order=order,
        max_epochs=max_epochs,
        max_mistakes=max_mistakes,
        time_limit=time_limit,
        rng=rng,
        method=method,
        on_progress=on_progress,
        resume=resume,
    )
    return with_positive(run, dataset)
