"""How far apart are the classes? The maximum margin, and the soft margins by C and by nu, for arrays of any kind."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from maxmargin.api.question import Question
from maxmargin.solvers.problem.candidate import with_options
from maxmargin.text.progress import counting_shown, shows_progress, waiting

if TYPE_CHECKING:
    from maxmargin.solvers.hard_margin.hard_solution import HardMargin
    from maxmargin.solvers.hard_margin.margin_sensitivity import Sensitivity
    from maxmargin.solvers.soft_margin.soft_solution import NuMargin, SoftMargin


@shows_progress(waiting, "solving for the maximum margin")
def hard_margin(
    X: Any,
    y: Any = None,
    *,
    bias: bool | None = None,
    positive: object = None,
    method: str = "auto",
    solver: str | None = None,
    solver_options: Mapping[str, Any] | None = None,
    exact: bool = False,
    exact_limit: int | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
) -> "HardMargin":
    """Find the hyperplane of maximum margin: min 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1.

    The maximum margin is the largest geometric margin of a hyperplane, 1/||w|| at the optimum, and half the distance
    of the convex hulls of the two classes [2]_. The answer is an interval with both ends proven.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `separability`; None for a Dataset. Of more
        classes, `positive` has to choose one.
    bias : bool, optional
        If False, only hyperplanes through the origin are considered. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.
    method : {"auto", "textbook", "working-set", "dual-coordinate", "daqp", "cvxpy"}, default "auto"
        The engine. "auto" asks those of a working set of rows, descent along single multipliers, and DAQP that suit
        the size and shape, until the interval is narrow. "textbook" is the same with cvxpy in place of DAQP.
    solver : str, optional
        The name of a cvxpy solver, such as "CLARABEL".
    solver_options : mapping of str to object, optional
        Options of this solver by its own names, such as ``{"max_iter": 100}``. They need `solver`, or
        ``method="cvxpy"``, with which they go to every solver asked.
    exact : bool, default False
        Whether to find ``margin_squared``, ``w_exact``, ``b_exact`` and ``dual_exact`` as fractions.
    exact_limit : int, optional
        Largest number of columns, including the bias, for which the fractions are searched for. The default is 500.
    time_limit : float, optional
        Seconds after which the work stops; the answer is then the interval proven so far. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    HardMargin
        The hyperplane, its margin, the proven interval of the maximum margin and the multipliers. If no hyperplane
        separates the classes, ``w`` is None and ``status`` says why.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes.
    InvalidOptionError
        If the method is unknown, the solver is not installed or cannot take the program, or a limit makes no sense.

    See Also
    --------
    soft_margin : Allow rows inside the margin, at a cost.
    separability : Decide only whether the classes are separable.

    References
    ----------
    .. [1] B. E. Boser, I. M. Guyon and V. N. Vapnik, "A training algorithm for optimal margin classifiers", COLT 1992,
       144-152.
    .. [2] K. P. Bennett and E. J. Bredensteiner, "Duality and geometry in SVM classifiers", ICML 2000, 57-64.

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

    question = Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
    most_columns = EXACT_LIMIT if exact_limit is None else exact_limit
    asked = with_options(solver, solver_options)
    return question.answered(solve, method=method, solver=asked, exact=exact, exact_limit=most_columns)


def soft_margin(
    X: Any,
    y: Any = None,
    C: float = 1.0,
    *,
    loss: str = "hinge",
    bias: bool | None = None,
    positive: object = None,
    sample_weight: Any = None,
    class_weight: Mapping[Any, float] | str | None = None,
    method: str = "auto",
    solver: str | None = None,
    solver_options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
) -> "SoftMargin":
    """Solve the soft-margin SVM with a free bias: min 1/2 ||w||^2 + C sum v_i xi_i.

    The constraints are y_i (w.x_i + b) >= 1 - xi_i and xi_i >= 0. The bias is not penalised. With the objective
    ||w||^2 + c sum xi the equivalent parameter is C = c/2; with lambda ||w||^2 + sum hinge it is C = 1/(2 lambda).

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `separability`; None for a Dataset. Of more
        classes, `positive` has to choose one.
    C : float, default 1.0
        Cost of a unit of slack, positive and finite (scikit-learn's and LIBSVM's C).
    loss : {"hinge", "squared_hinge"}, default "hinge"
        Whether a slack costs C v_i xi_i, or C v_i xi_i^2. The dual of the latter is to maximise sum a - 1/2 ||sum a y
        x||^2 - sum a^2/(4 C v) over a >= 0, with a bias sum a y = 0. scikit-learn's ``LinearSVC`` has the same optimum
        only without a bias, as it penalises the bias.
    bias : bool, optional
        If False, only hyperplanes through the origin are considered. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.
    sample_weight : array_like of shape (n_samples,), optional
        Weights v_i >= 0, 1 by default. Rows of weight 0 have no influence. Numbers that binary64 does not hold are
        refused.
    class_weight : mapping of label to float, "balanced" or None, default None
        Factors of v_i by label; labels that are not in the mapping have the factor 1. "balanced" is n_samples / (2 n)
        for each of the two sides, where n is the number of its rows.
    method : {"auto", "textbook", "cvxpy", "working-set", "interior-point", "dual-coordinate"}, default "auto"
        The engine. "auto" chooses by size and shape, and asks cvxpy for the textbook program if the interval stays
        wide. "textbook" hands small data to cvxpy in any case. The squared hinge has "auto", "textbook", "cvxpy" and
        "newton", Newton's method, and the smaller of rows and columns has to be at most 3,000 (for sparse rows 1,000).
    solver : str, optional
        The name of a cvxpy solver, such as "CLARABEL".
    solver_options : mapping of str to object, optional
        Options of this solver by its own names, such as ``{"max_iter": 100}``. They need `solver`, or
        ``method="cvxpy"``, with which they go to every solver asked.
    time_limit : float, optional
        Seconds after which the work stops, with what is proven by then and the status `limit`. There is no limit by
        default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    SoftMargin
        The hyperplane with its objective, the proven lower bound of the optimum, and the multipliers. Slack is counted
        at the optimum (`slack_bounds`), and errors (`error_rows`) are those of the floats w and b, decided exactly.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes, C is not a positive finite number, or the weights are
        not one finite number >= 0 for each row.
    InvalidOptionError
        If the method is unknown, or the solver is not installed or cannot take the program.

    See Also
    --------
    soft_margin_path : Solve for several C.
    nu_margin : Limit the fraction of rows with slack instead.
    hard_margin : Solve the limit of large C.

    References
    ----------
    .. [1] C. Cortes and V. Vapnik, "Support-vector networks", Machine Learning 20 (1995), 273-297.

    Examples
    --------
    >>> answer = soft_margin([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], C=1.0)
    >>> answer.lower <= answer.objective
    True
    >>> squared = soft_margin([[-1.0], [1.0]], [0, 1], C=0.5, loss="squared_hinge")
    >>> squared.lower <= 1 / 3 <= squared.objective, round(squared.objective, 12)
    (True, 0.333333333333)
    """
    answers = soft_margin_path(
        X, y, (C,), loss=loss, bias=bias, positive=positive, sample_weight=sample_weight, class_weight=class_weight,
        method=method, solver=solver, solver_options=solver_options, time_limit=time_limit, verbose=verbose,
    )  # fmt: skip
    return answers[0]


@shows_progress(waiting, "solving for the soft margin")
def soft_margin_path(
    X: Any,
    y: Any = None,
    Cs: Iterable[float] = (0.01, 0.1, 1.0, 10.0, 100.0),
    *,
    loss: str = "hinge",
    bias: bool | None = None,
    positive: object = None,
    sample_weight: Any = None,
    class_weight: Mapping[Any, float] | str | None = None,
    method: str = "auto",
    solver: str | None = None,
    solver_options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
) -> "tuple[SoftMargin, ...]":
    """Solve the soft-margin SVM for several C, each answer starting from the one before.

    The problems are solved in increasing order of C. If the classes are separable, then from some C on every answer
    is the hard margin, and costs nothing further.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `separability`; None for a
        Dataset.
    Cs : iterable of float, default (0.01, 0.1, 1.0, 10.0, 100.0)
        Costs of a unit of slack, positive and finite, in any order.
    loss : {"hinge", "squared_hinge"}, default "hinge"
        Whether a slack costs C v_i xi_i or C v_i xi_i^2, as in `soft_margin`.
    bias : bool, optional
        If False, only hyperplanes through the origin are considered. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.
    sample_weight : array_like of shape (n_samples,), optional
        Weights v_i >= 0, as in `soft_margin`.
    class_weight : mapping of label to float, "balanced" or None, default None
        Factors of v_i by label, as in `soft_margin`.
    method : {"auto", "textbook", "cvxpy", "working-set", "interior-point", "dual-coordinate"}, default "auto"
        The engine, as in `soft_margin`.
    solver : str, optional
        The name of a cvxpy solver, such as "CLARABEL".
    solver_options : mapping of str to object, optional
        Options of this solver by its own names, such as ``{"max_iter": 100}``. They need `solver`, or
        ``method="cvxpy"``, with which they go to every solver asked.
    time_limit : float, optional
        Seconds for the whole path. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    tuple of SoftMargin
        One answer for each C, in the order of `Cs`.

    Raises
    ------
    InvalidProblemError
        If the data, a C or the weights are not as in `soft_margin`.
    InvalidOptionError
        If the method is unknown, or the solver is not installed or cannot take the program.

    See Also
    --------
    soft_margin : Solve for one C.

    References
    ----------
    .. [1] T. Hastie, S. Rosset, R. Tibshirani and J. Zhu, "The entire regularization path for the support vector
       machine", Journal of Machine Learning Research 5 (2004), 1391-1415.

    Examples
    --------
    >>> answers = soft_margin_path([[-1.0], [1.0]], [0, 1], [0.125, 1.0, 1e6])
    >>> [round(answer.objective, 6) for answer in answers]
    [0.21875, 0.5, 0.5]
    """
    from maxmargin.solvers.soft_margin.soft_margin import soft_margin_path as solve

    question = Question.weighted(
        X, y, bias=bias, positive=positive, sample_weight=sample_weight, class_weight=class_weight,
        time_limit=time_limit,
    )  # fmt: skip
    answers = solve(
        question.problem, Cs, loss=loss, sample_weight=question.weights, method=method,
        solver=with_options(solver, solver_options), time_limit=question.limits.share(),
    )  # fmt: skip
    return tuple(question.named(answer) for answer in answers)


@shows_progress(counting_shown, "leaving out rows")
def sensitivity(
    X: Any,
    y: Any = None,
    *,
    bias: bool | None = None,
    positive: object = None,
    time_limit: float | None = None,
    verbose: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> "Sensitivity":
    """Find how the maximum margin depends on single rows.

    Only rows of positive weight in the proof of the upper end hold the maximum margin: without any other row the same
    proof holds. Without each of these rows the problem is solved again, and the interval is proven. If a row moves by
    delta, the maximum margin falls by at most delta/2, and grows by at most its weight times delta/2; through the
    origin by delta in place of delta/2. All rows at once may move by less than the maximum margin, in any direction,
    before the classes can touch [1]_.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `separability`; None for a Dataset. Of more
        classes, `positive` has to choose one.
    bias : bool, optional
        If False, only hyperplanes through the origin are considered. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.
    time_limit : float, optional
        Seconds after which the work stops; rows that were not left out by then have no upper end. There is no limit by
        default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.
    on_progress : callable, optional
        A function that is called with the number of rows left out so far, and the number of rows to leave out.

    Returns
    -------
    Sensitivity
        The rows that hold the margin with their weights, the proven maximum margin without each of them, and how far
        rows may move.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes.
    InvalidOptionError
        If the limit makes no sense.

    See Also
    --------
    hard_margin : Find the maximum margin only.
    fewest_errors : Find the fewest rows without which the classes are separable.

    References
    ----------
    .. [1] H. Xu, C. Caramanis and S. Mannor, "Robustness and regularization of support vector machines", Journal of
       Machine Learning Research 10 (2009), 1485-1510.

    Examples
    --------
    >>> answer = sensitivity([[0.0], [1.0], [2.0], [6.0], [12.0]], [0, 0, 0, 1, 1])  # 6.0 is an outlier
    >>> answer.rows.tolist(), answer.lower_without.tolist(), answer.robust_radius
    ([3, 2], [5.0, 2.5], (2.0, 2.0))
    """
    from maxmargin.solvers.hard_margin.margin_sensitivity import sensitivity as solve

    question = Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
    return question.answered(solve, on_progress=on_progress)


@shows_progress(waiting, "solving for the soft margin")
def nu_margin(
    X: Any,
    y: Any = None,
    nu: float = 0.5,
    *,
    bias: bool | None = None,
    positive: object = None,
    sample_weight: Any = None,
    class_weight: Mapping[Any, float] | str | None = None,
    method: str = "auto",
    solver: str | None = None,
    solver_options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
) -> "NuMargin":
    """Solve the nu-SVM with a free bias: min 1/2 ||w||^2 - nu rho + sum v_i xi_i / sum v.

    The constraints are y_i (w.x_i + b) >= rho - xi_i and xi_i >= 0. At the optimum at most the fraction nu of the rows
    has slack, and at least the fraction nu are support rows; both fractions count rows by weight. Divided by ``rho``,
    the hyperplane is the one of scikit-learn's NuSVC.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `separability`; None for a Dataset. Of more
        classes, `positive` has to choose one.
    nu : float, default 0.5
        A number above 0. With a bias it is at most twice the share of the lighter class, otherwise at most 1.
    bias : bool, optional
        If False, only hyperplanes through the origin are considered. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.
    sample_weight : array_like of shape (n_samples,), optional
        Weights v_i >= 0, as in `soft_margin`; the share of a row is v_i / sum v.
    class_weight : mapping of label to float, "balanced" or None, default None
        Factors of v_i by label, as in `soft_margin`.
    method : {"auto", "cvxpy", "interior-point"}, default "auto"
        The engine. "auto" always computes the textbook solution through cvxpy if the data are small.
    solver : str, optional
        The name of a cvxpy solver, such as "CLARABEL".
    solver_options : mapping of str to object, optional
        Options of this solver by its own names, such as ``{"max_iter": 100}``. They need `solver`, or
        ``method="cvxpy"``, with which they go to every solver asked.
    time_limit : float, optional
        Seconds after which the work stops, with what is proven by then and the status `limit`. There is no limit by
        default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    NuMargin
        The hyperplane with its rho and objective, the proven lower bound of the optimum, and the equivalent C.

    Raises
    ------
    InvalidProblemError
        If nu is out of its range, which the message states, or the data or the weights are not as in `soft_margin`.
    InvalidOptionError
        If the method is unknown, or the solver is not installed or cannot take the program.

    See Also
    --------
    soft_margin : State the same trade-off by C.

    References
    ----------
    .. [1] B. Schölkopf, A. J. Smola, R. C. Williamson and P. L. Bartlett, "New support vector algorithms", Neural
       Computation 12 (2000), 1207-1245.

    Examples
    --------
    >>> answer = nu_margin([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], nu=1.0)
    >>> answer.lower <= -0.5 <= answer.objective
    True
    >>> round(-float(answer.b / answer.w[0]), 6)
    1.5
    """
    from maxmargin.solvers.soft_margin.nu_margin import nu_margin as solve

    question = Question.weighted(
        X, y, bias=bias, positive=positive, sample_weight=sample_weight, class_weight=class_weight,
        time_limit=time_limit,
    )  # fmt: skip
    asked = with_options(solver, solver_options)
    return question.answered(solve, nu=nu, sample_weight=question.weights, method=method, solver=asked)
