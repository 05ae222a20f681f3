"""What users of other packages type to learn whether classes are separable: functions that stand alone.

Reports print the source of these functions as scripts that reproduce an answer without this package: each has its
imports inside and uses nothing else of this file. X is an array of shape (n_samples, n_features), y holds -1 and +1.
"""

from typing import Any


def konis_lp(X: Any, y: Any) -> Any:
    """Solve max sum y_i (x_i, 1).beta subject to y_i (x_i, 1).beta >= 0, -1 <= beta <= 1 (Konis 2007)."""
    import numpy as np
    from scipy.optimize import linprog

    Z = np.column_stack([X, np.ones(len(y))]) * y[:, None]
    solved = linprog(-Z.sum(axis=0), A_ub=-Z, b_ub=np.zeros(len(y)), bounds=(-1, 1), method="highs")
    return solved.x, solved.message, -solved.fun if solved.success else None


def firthmodels_detection(X: Any, y: Any, tol: float = 1e-4) -> Any:
    """Ask firthmodels for separation: the linear program of Konis, and |beta| > tol."""
    from firthmodels import detect_separation

    return detect_separation(X, (y > 0).astype(int), tol=tol).separation


def sklearn_classifier(X: Any, y: Any, name: str, **params: Any) -> Any:
    """Fit a linear classifier of scikit-learn."""
    import sklearn.linear_model
    import sklearn.svm

    module = sklearn.svm if name.endswith("SVC") else sklearn.linear_model
    return getattr(module, name)(**params).fit(X, y)


def training_accuracy(X: Any, y: Any, C: float = 1e10) -> Any:
    """Fit LIBSVM with a huge C, and count the training rows that it predicts rightly."""
    from sklearn.svm import SVC

    model = SVC(kernel="linear", C=C).fit(X, y)
    return model.coef_[0], float(model.intercept_[0]), model.score(X, y)


def statsmodels_logit(X: Any, y: Any) -> Any:
    """Fit a logistic regression with statsmodels' Logit."""
    import statsmodels.api as sm

    result = sm.Logit((y > 0).astype(int), sm.add_constant(X, has_constant="add")).fit(disp=0)
    return result.params[1:], float(result.params[0]), bool(result.mle_retvals["converged"])


def statsmodels_glm(X: Any, y: Any) -> Any:
    """Fit a binomial GLM with statsmodels."""
    import statsmodels.api as sm

    model = sm.GLM((y > 0).astype(int), sm.add_constant(X, has_constant="add"), family=sm.families.Binomial())
    result = model.fit()
    return result.params[1:], float(result.params[0]), bool(result.converged)


def z3_rationals(X: Any, y: Any, seconds: float | None = None) -> Any:
    """Ask z3 for a hyperplane with y_i (w.x_i + b) >= 1 in exact rational arithmetic."""
    from fractions import Fraction

    import z3

    def rational(number: Any) -> Any:
        exact = Fraction(float(number))
        return z3.Q(exact.numerator, exact.denominator)

    w, b = [z3.Real(f"w{j}") for j in range(X.shape[1])], z3.Real("b")
    solver = z3.SolverFor("QF_LRA")
    if seconds is not None:
        solver.set("timeout", int(1000 * seconds))
    for row, sign in zip(X, y, strict=True):
        score = z3.Sum([rational(value) * weight for value, weight in zip(row, w, strict=True) if value] + [b])
        solver.add(score >= 1 if sign > 0 else score <= -1)
    answer = str(solver.check())
    if answer != "sat":
        return None, None, answer
    model = solver.model()
    values = [model.eval(variable, model_completion=True).as_fraction() for variable in (*w, b)]
    return [float(value) for value in values[:-1]], float(values[-1]), answer
