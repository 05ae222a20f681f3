"""Are the classes linearly separable? The verdict, for arrays and for data sets."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maxmargin.api.question import with_positive
from maxmargin.data.arrays import from_arrays
from maxmargin.data.dataset import Dataset
from maxmargin.data.problems import DecimalReading, class_problem_of, problem_of
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem.problem import ClassProblem, Problem

if TYPE_CHECKING:
    from maxmargin.solvers.separability.separability_solution import Separability


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

    Two classes are separable if some hyperplane has every row strictly on its side, y_i (w.x_i + b) > 0. They are
    quasi-separable if that is impossible, but some hyperplane has no row on the wrong side and at least one row
    strictly on its side. Otherwise they overlap, and the maximum-likelihood estimate of a logistic regression exists.

    Data with more than two classes and no `positive` get the multinomial verdict: whether linear scores, one for each
    class, can rank the class of every row first.

    Parameters
    ----------
    X : array_like, SciPy sparse array, or data frame, of shape (n_samples, n_features)
        Real, finite numbers, which are not rounded: verdicts about Decimals and Fractions are about these very numbers.
    y : array_like of shape (n_samples,)
        Labels with at least two different values. If there are two, the affirmative one of a known pair (yes/no, +/-,
        true/false, case/control, positive/negative and the like) is +1, otherwise the greater one in sorted order;
        ``positive_reason`` of the answer says which rule applied.
    bias : bool, default True
        If False, only hyperplanes through the origin are considered.
    positive : label, optional
        The label that is +1, against all others.
    method : {"auto", "highs", "cvxpy"}, default "auto"
        The engine that proposes the first hyperplane of a question about two classes.
    solver : str, optional
        The name of a cvxpy solver, such as "CLARABEL".
    time_limit : float, optional
        Seconds after which the search ends; what is not proven by then is `undecided`. There is no limit by default.
    exact_limit : int, optional
        Largest number of columns, including the bias, for which linear systems are solved exactly; sparse data of two
        classes may have twice as many. The default is 1000.

    Returns
    -------
    Separability
        The verdict with its certificate, and the rows and columns responsible.

    Raises
    ------
    InvalidProblemError
        If the data are not finite numbers with at least two classes.
    InvalidOptionError
        If an option has a value that it does not take, or `method` or `solver` is given for more than two classes.

    See Also
    --------
    require : Raise an error unless a verdict is proven.
    hard_margin : Find how far apart separable classes are.
    fewest_errors : Find the fewest rows to drop so that the classes become separable.
    verify : Check the certificate of an answer.

    References
    ----------
    .. [1] A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression
       models", Biometrika 71 (1984), 1-10.
    .. [2] T. J. Santner and D. E. Duffy, "A note on A. Albert and J. A. Anderson's conditions for the existence of
       maximum likelihood estimates in logistic regression models", Biometrika 73 (1986), 755-758.

    Examples
    --------
    >>> separability([[1.0], [2.0], [4.0]], ["no", "no", "yes"]).verdict.value
    'separable'
    >>> quasi = separability([[1.0], [2.0], [2.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> quasi.verdict.value, quasi.touching_rows.tolist(), quasi.infinite_columns
    ('quasi-separable', [1, 2], {'(Intercept)': '-', 0: '+'})
    """
    dataset = from_arrays(X, y, positive=positive)
    limits = {"time_limit": time_limit, "exact_limit": exact_limit}
    answer = separability_of(dataset, DecimalReading.of(dataset), bias=bias, method=method, solver=solver, **limits)
    return answer if hasattr(X, "columns") else replace(answer, feature_names=None)


def separability_of(
    dataset: Dataset,
    reading: DecimalReading | None,
    *,
    bias: bool = True,
    method: str = "auto",
    solver: str | None = None,
    **limits: Any,
) -> "Separability":
    """Return the answer, with its names, for a data set or a part of it; with a reading, about its exact numbers.

    The other options are those of `separability`.

    Raises
    ------
    InvalidOptionError
        If a method or a solver is chosen for more than two classes.
    """
    options: dict[str, Any] = {"method": method, "solver": solver} if dataset.is_binary else {}
    if not dataset.is_binary and (method != "auto" or solver is not None):
        n_classes = len(dataset.classes)
        raise InvalidOptionError(f"{n_classes} classes are decided by one engine: leave method and solver out")
    asked: Any = (
        (problem_of if dataset.is_binary else class_problem_of)
        if reading is None
        else (reading.problem_of if dataset.is_binary else reading.class_problem_of)
    )
    answer = with_names(decide(asked(dataset, bias=bias), **options, **limits), dataset)
    if reading is None or answer.certificate is None:
        return answer
    return replace(answer, certificate=reading.restated(answer.certificate))


def decide(problem: Problem | ClassProblem, *, exact_limit: int | None = None, **options: Any) -> "Separability":
    """Decide the question of a problem; the options are those of `separability`."""
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
