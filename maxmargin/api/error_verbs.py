"""How far are the classes from being separable? The fewest errors and the least total slack, for arrays of any kind."""

from typing import TYPE_CHECKING, Any

from maxmargin.api.question import Question

if TYPE_CHECKING:
    from maxmargin.solvers.fewest_errors.fewest_solution import FewestErrors
    from maxmargin.solvers.fewest_errors.total_slack import TotalSlack


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
    """Find the least number of rows with y_i (w.x_i + b) <= 0 over all hyperplanes: the fewest rows to drop.

    The problem is NP-hard [1]_, so the answer is a proven interval of whole numbers; its ends meet if the time
    suffices. A row on the hyperplane counts as an error.

    Parameters
    ----------
    X : array_like, SciPy sparse array, or data frame, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,)
        Labels of two classes, as in `separability`; of more classes, `positive` has to choose one.
    bias : bool, default True
        If False, only hyperplanes through the origin are considered.
    positive : label, optional
        The label that is +1, against all others.
    method : {"auto", "cvxpy"}, default "auto"
        With "cvxpy" the textbook mixed-integer program proposes a hyperplane first.
    solver : str, optional
        The cvxpy solver of that program, such as "HIGHS". If it is given, "auto" asks it as well.
    time_limit : float or None, default 60.0
        Seconds after which the interval proven by then is returned; None is no limit.
    max_rows : int, optional
        Largest number of distinct rows that are searched completely. If there are more, the lower end is proven on
        this many of them. The default is 2000.

    Returns
    -------
    FewestErrors
        The interval, the hyperplane with its error rows, and sets of rows that prove the lower end.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes.
    InvalidOptionError
        If an option has a value that it does not take, or the solver is not installed.

    See Also
    --------
    separability : Decide whether the number is 0.
    least_total_slack : Measure how far rows are on the wrong side, by a linear program.

    References
    ----------
    .. [1] D. S. Johnson and F. P. Preparata, "The densest hemisphere problem", Theoretical Computer Science 6 (1978),
       93-107.
    .. [2] E. Amaldi, M. E. Pfetsch and L. E. Trotter, "On the maximum feasible subsystem problem, IISs and
       IIS-hypergraphs", Mathematical Programming 95 (2003), 533-554.

    Examples
    --------
    >>> answer = fewest_errors([[0, 0], [1, 1], [0, 1], [1, 0]], ["no", "no", "yes", "yes"])
    >>> answer.n_errors, answer.is_optimal
    (1, True)
    """
    from maxmargin.solvers.fewest_errors.minimum import MAX_ROWS
    from maxmargin.solvers.fewest_errors.minimum import fewest_errors as solve

    question = Question.of(X, y, bias=bias, positive=positive)
    answer = solve(
        question.problem,
        method=method,
        solver=solver,
        time_limit=time_limit,
        max_rows=MAX_ROWS if max_rows is None else max_rows,
    )
    return question.named(answer)


def least_total_slack(
    X: Any, y: Any, *, bias: bool = True, positive: object = None, time_limit: float | None = None
) -> "TotalSlack":
    """Find min sum xi_i subject to y_i (w.x_i + b) >= 1 - xi_i, xi_i >= 0: how wrong a hyperplane has to be.

    The least total slack is 0 if and only if the data are strictly separable. It is never less than the fewest errors,
    because every error has a slack of at least 1.

    Parameters
    ----------
    X : array_like, SciPy sparse array, or data frame, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,)
        Labels of two classes, as in `separability`; of more classes, `positive` has to choose one.
    bias : bool, default True
        If False, only hyperplanes through the origin are considered.
    positive : label, optional
        The label that is +1, against all others.
    time_limit : float, optional
        Seconds after which the interval proven by then is returned. There is no limit by default.

    Returns
    -------
    TotalSlack
        The proven interval, the hyperplane that attains its upper end, and the multipliers that prove its lower end.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes.

    See Also
    --------
    fewest_errors : Count the rows on the wrong side instead.
    soft_margin : Weigh the total slack against the norm of w.

    References
    ----------
    .. [1] F. W. Smith, "Pattern classifier design by linear programming", IEEE Transactions on Computers C-17 (1968),
       367-372.

    Examples
    --------
    >>> answer = least_total_slack([[0.0], [1.0], [2.0]], [0, 1, 0])
    >>> answer.lower, answer.upper
    (2.0, 2.0)
    """
    from maxmargin.solvers.fewest_errors.total_slack import least_total_slack as solve

    question = Question.of(X, y, bias=bias, positive=positive)
    return question.named(solve(question.problem, time_limit=time_limit))
