"""Are the classes linearly separable, and how far from it? The verdict, the fewest errors and the least total slack."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maxmargin.api.families import FamilyOptions, FamilyQuestion
from maxmargin.api.question import Question, has_two_responses, note_on_counts, separability_of
from maxmargin.data.dataset import DecimalReading
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.problem.candidate import with_options
from maxmargin.text.progress import shows_progress, waiting

if TYPE_CHECKING:
    from maxmargin.explaining.separability_answer import Separability
    from maxmargin.solvers.fewest_errors.fewest_solution import FewestErrors
    from maxmargin.solvers.fewest_errors.total_slack import TotalSlack


@shows_progress(waiting, "looking for a proof")
def separability(
    X: Any,
    y: Any = None,
    *,
    bias: bool | None = None,
    positive: object = None,
    family: str | None = None,
    weights: Any = None,
    trials: Any = None,
    strata: Any = None,
    status: Any = None,
    entry: Any = None,
    ties: str | None = None,
    levels: Sequence[Any] | None = None,
    method: str = "auto",
    solver: str | None = None,
    solver_options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
    exact_limit: int | None = None,
) -> "Separability":
    """Decide, in exact arithmetic, whether the classes are separable, quasi-separable, or overlap.

    Two classes are separable if some hyperplane has every row strictly on its side, y_i (w.x_i + b) > 0. They are
    quasi-separable if that is impossible, but some hyperplane has no row on the wrong side and at least one row
    strictly on its side. Otherwise they overlap, and the maximum-likelihood estimate of a logistic regression exists.

    Data with more than two classes and no `positive` get the multinomial verdict: whether linear scores, one for each
    class, can rank the class of every row first.

    With `family`, the question is whether the likelihood of a model has a maximum: whether the inequalities z.v >= 0
    that follow from rows and responses overlap, so that no v makes one strict and none false. ``estimate_exists`` says
    so beside the verdict.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Real, finite numbers, which are not rounded: verdicts about Decimals and Fractions are about these very numbers.
        The text columns of a data frame are coded as a regression model codes them, as columns of 0 and 1 for every
        level but the first.
    y : array_like of shape (n_samples,), or str, optional
        Labels with at least two different values; or the name of their column in the data frame; or a formula such as
        ``"died ~ age + C(stage)"`` [3]_, which needs the extra ``formula``. A Dataset has its own labels. Of two labels
        the affirmative one of a known pair (yes/no, +/-, true/false, case/control, positive/negative and the like) is
        +1, otherwise the greater one in sorted order; ``positive_reason`` of the answer says which rule applied.
    bias : bool, optional
        If False, only hyperplanes through the origin are considered. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.
    family : {"binomial", "poisson", "multinomial", "ordinal", "conditional", "cox"}, optional
        The family of the model whose maximum-likelihood estimate is in question. The response of ``"binomial"`` is one
        of two classes, or a number of successes with `trials`, or ``"successes + failures ~ x"``; of ``"poisson"`` it
        is a count, with a log link [4]_; of ``"ordinal"`` an ordered class, in a cumulative logit, probit or cauchit
        model; of ``"conditional"`` one of two classes, compared within `strata`; of ``"cox"`` a time [5]_, or
        ``"Surv(time, status) ~ x"``.
    weights, trials, strata, status, entry : str or array_like of shape (n_samples,), optional
        Columns of the data frame by name, which are then no features, or a value for every row. Rows with a weight of 0
        are left out before anything else, and other weights change nothing. ``status`` is 1 for an event, and 0; a row
        is at risk at t if entry < t <= time.
    ties : {"efron", "breslow", "exact-discrete"}, optional
        The rule for events of Cox regression at one time, by default that of Efron. By the last one they are not at
        risk for each other.
    levels : sequence of label, optional
        The classes of an ordinal response in their order; by default that of a categorical column, or of numbers.
    method : {"auto", "highs", "cvxpy"}, default "auto"
        The engine that proposes the first hyperplane of a question about two classes.
    solver : str, optional
        The name of a cvxpy solver, such as "CLARABEL".
    solver_options : mapping of str to object, optional
        Options of this solver by its own names, such as ``{"max_iter": 100}``. They need `solver`, or
        ``method="cvxpy"``, with which they go to every solver asked.
    time_limit : float, optional
        Seconds after which the search ends; what is not proven by then is `undecided`. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.
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
    .. [3] G. N. Wilkinson and C. E. Rogers, "Symbolic description of factorial models for analysis of variance",
       Applied Statistics 22 (1973), 392-399.
    .. [4] S. Correia, P. Guimarães and T. Zylkin, "Verifying the existence of maximum likelihood estimates for
       generalized linear models", arXiv:1903.01633 (2019).
    .. [5] M. C. Bryson and M. E. Johnson, "The incidence of monotone likelihood in the Cox model", Technometrics 23
       (1981), 381-383.

    Examples
    --------
    >>> separability([[1.0], [2.0], [4.0]], ["no", "no", "yes"]).verdict.value
    'separable'
    >>> counts = separability([[0], [0], [0], [1]], [2, 0, 3, 0], family="poisson")
    >>> counts.estimate_exists, counts.infinite_columns
    (False, {0: '-'})
    >>> quasi = separability([[1.0], [2.0], [2.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> quasi.verdict.value, quasi.touching_rows.tolist(), quasi.infinite_columns
    ('quasi-separable', [1, 2], {'(Intercept)': '-', 0: '+'})
    """
    options = FamilyOptions.of(
        family, ties, levels, weights=weights, trials=trials, strata=strata, status=status, entry=entry
    )
    if options.family is not None or options.columns or has_two_responses(y):
        asked, limits = with_options(solver, solver_options), Limits(time_limit=time_limit)
        of_family = FamilyQuestion.of(X, y, options, bias=bias, positive=positive)
        return of_family.answer(limits, exact_limit=exact_limit, method=method, solver=asked)
    question = Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
    names = replace(question.names, notes=(*question.names.notes, *note_on_counts(question.dataset)))
    return separability_of(
        question.dataset, DecimalReading.of(question.dataset), names, bias=question.bias, method=method,
        solver=with_options(solver, solver_options), time_limit=question.limits.share(), exact_limit=exact_limit,
    )  # fmt: skip


@shows_progress(waiting, "searching for the fewest errors")
def fewest_errors(
    X: Any,
    y: Any = None,
    *,
    bias: bool | None = None,
    positive: object = None,
    method: str = "auto",
    solver: str | None = None,
    solver_options: Mapping[str, Any] | None = None,
    time_limit: float | None = 60.0,
    verbose: bool = False,
    max_rows: int | None = None,
) -> "FewestErrors":
    """Find the least number of rows with y_i (w.x_i + b) <= 0 over all hyperplanes: the fewest rows to drop.

    The problem is NP-hard [1]_, so the answer is a proven interval of whole numbers; its ends meet if the time
    suffices. A row on the hyperplane counts as an error.

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
    method : {"auto", "cvxpy"}, default "auto"
        With "cvxpy" the textbook mixed-integer program proposes a hyperplane first.
    solver : str, optional
        The cvxpy solver of that program, such as "HIGHS". If it is given, "auto" asks it as well.
    solver_options : mapping of str to object, optional
        Options of this solver by its own names, such as ``{"max_iter": 100}``. They need `solver`, or
        ``method="cvxpy"``, with which they go to every solver asked.
    time_limit : float or None, default 60.0
        Seconds after which the interval proven by then is returned; None is no limit.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.
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
        If an option has a value that it does not take, or the solver is not installed or cannot take the program.

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

    question = Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
    most = MAX_ROWS if max_rows is None else max_rows
    return question.answered(solve, method=method, solver=with_options(solver, solver_options), max_rows=most)


@shows_progress(waiting, "searching for the least total slack")
def least_total_slack(
    X: Any,
    y: Any = None,
    *,
    bias: bool | None = None,
    positive: object = None,
    time_limit: float | None = None,
    verbose: bool = False,
) -> "TotalSlack":
    """Find min sum xi_i subject to y_i (w.x_i + b) >= 1 - xi_i, xi_i >= 0: how wrong a hyperplane has to be.

    The least total slack is 0 if and only if the data are strictly separable. It is never less than the fewest errors,
    because every error has a slack of at least 1.

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
        Seconds after which the interval proven by then is returned. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

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

    return Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit).answered(solve)
