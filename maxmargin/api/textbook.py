"""The programs of textbooks as problems of cvxpy, to read, to change and to solve.

The rows are those of X, unscaled, with signs -1 and +1. Nothing is proven about what a solver finds. The first
constraint of a problem says on which side each row is; after a solution its ``dual_value`` holds the multipliers of the
rows.

>>> from maxmargin import textbook
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from maxmargin.api.question import Question

if TYPE_CHECKING:
    import cvxpy


def hard_margin(X: Any, y: Any = None, *, bias: bool | None = None, positive: object = None) -> "cvxpy.Problem":
    """State the program of the maximum margin: min 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `maxmargin.separability`; None for a
        Dataset.
    bias : bool, optional
        If False, there is no variable ``b``. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.

    Returns
    -------
    cvxpy.Problem
        With the variables ``w`` and ``b`` in ``var_dict``.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes.

    See Also
    --------
    maxmargin.hard_margin : Solve it, with proof.

    References
    ----------
    .. [1] B. E. Boser, I. M. Guyon and V. N. Vapnik, "A training algorithm for optimal margin classifiers", COLT 1992,
       144-152.

    Examples
    --------
    >>> problem = hard_margin([[10.0], [40.0], [60.0], [90.0]], [0, 0, 1, 1])
    >>> float(round(problem.solve(solver="CLARABEL"), 6)), problem.var_dict["w"].value.round(6).tolist()
    (0.005, [0.1])
    """
    return _stated("hard_margin", Question.of(X, y, bias=bias, positive=positive))


def soft_margin(
    X: Any,
    y: Any = None,
    C: float = 1.0,
    *,
    bias: bool | None = None,
    positive: object = None,
    sample_weight: Any = None,
    class_weight: Mapping[Any, float] | str | None = None,
) -> "cvxpy.Problem":
    """State the program of the soft margin: min 1/2 ||w||^2 + C sum v_i xi_i.

    The constraints are y_i (w.x_i + b) >= 1 - xi_i and xi_i >= 0.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `maxmargin.separability`; None for a
        Dataset.
    C : float, default 1.0
        Cost of a unit of slack, positive and finite.
    bias : bool, optional
        If False, there is no variable ``b``. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.
    sample_weight : array_like of shape (n_samples,), optional
        Weights v_i >= 0, with which the cost of row i is C v_i; 1 by default.
    class_weight : mapping of label to float, "balanced" or None, default None
        Factors of v_i by label, as in `maxmargin.soft_margin`.

    Returns
    -------
    cvxpy.Problem
        With the variables ``w``, ``b`` and ``xi`` in ``var_dict``.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes, C is not a positive finite number, or the weights are
        not one finite number >= 0 for each row.

    See Also
    --------
    maxmargin.soft_margin : Solve it, with proof.

    References
    ----------
    .. [1] C. Cortes and V. Vapnik, "Support-vector networks", Machine Learning 20 (1995), 273-297.

    Examples
    --------
    >>> problem = soft_margin([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], C=1.0)
    >>> sorted(problem.var_dict)
    ['b', 'w', 'xi']
    """
    from maxmargin.solvers.soft_margin.soft_bracket import WeightedRows
    from maxmargin.solvers.soft_margin.soft_margin import checked_costs

    question = Question.weighted(
        X, y, bias=bias, positive=positive, sample_weight=sample_weight, class_weight=class_weight, time_limit=None
    )
    (cost,), rows = checked_costs([C]), WeightedRows.of(question.problem, question.weights)
    return _stated("soft_margin", question, cost * rows.weights.nearest)


def separability(X: Any, y: Any = None, *, bias: bool | None = None, positive: object = None) -> "cvxpy.Problem":
    """State the question of separability: min 0 subject to y_i (w.x_i + b) >= 1.

    The program is feasible exactly when a hyperplane separates the classes strictly.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `maxmargin.separability`; None for a
        Dataset.
    bias : bool, optional
        If False, there is no variable ``b``. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.

    Returns
    -------
    cvxpy.Problem
        With the variables ``w`` and ``b`` in ``var_dict``.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes.

    See Also
    --------
    max_t : A program that is always feasible.
    maxmargin.separability : Decide it, with proof.

    References
    ----------
    .. [1] O. L. Mangasarian, "Linear and nonlinear separation of patterns by linear programming", Operations Research
       13 (1965), 444-452.

    Examples
    --------
    >>> problem = separability([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> _ = problem.solve(solver="HIGHS")
    >>> problem.status
    'infeasible'
    """
    return _stated("separability", Question.of(X, y, bias=bias, positive=positive))


def max_t(X: Any, y: Any = None, *, bias: bool | None = None, positive: object = None) -> "cvxpy.Problem":
    """State the linear program max t subject to y_i (w.x_i + b) >= t, -1 <= w <= 1, t <= 1.

    It is always feasible and bounded; t > 0 exactly when a hyperplane separates the classes strictly.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `maxmargin.separability`; None for a
        Dataset.
    bias : bool, optional
        If False, there is no variable ``b``. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.

    Returns
    -------
    cvxpy.Problem
        With the variables ``w``, ``b`` and ``t`` in ``var_dict``.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes.

    See Also
    --------
    separability : A program whose feasibility is the question.
    maxmargin.separability : Decide it, with proof.

    References
    ----------
    .. [1] O. L. Mangasarian, "Linear and nonlinear separation of patterns by linear programming", Operations Research
       13 (1965), 444-452.

    Examples
    --------
    >>> problem = max_t([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> float(round(problem.solve(solver="HIGHS"), 9))
    1.0
    """
    return _stated("max_t", Question.of(X, y, bias=bias, positive=positive))


def _stated(name: str, question: Question, *costs: Any) -> "cvxpy.Problem":
    from maxmargin.solvers.engines.textbook import formulations

    formulate, problem = getattr(formulations, name), question.problem
    stated: cvxpy.Problem = formulate(problem.matrix, problem.y, *costs, bias=problem.bias)
    return stated
