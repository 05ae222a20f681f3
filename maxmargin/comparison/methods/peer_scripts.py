"""Self-contained functions that users of other packages would write to learn whether classes are separable.

Reports print the source of these functions as scripts that reproduce an answer without this package: each has its
imports inside and uses nothing else of this file. X is an array of shape (n_samples, n_features), y holds -1 and +1.
"""

# Packages that are compared may be missing.
# pyright: reportMissingImports=false

from typing import Any


def any_coefficient(X: Any, y: Any, tolerance: float = 1e-4) -> Any:
    """Return whether max sum y_i (1, x_i).beta, y_i (1, x_i).beta >= 0, |beta| <= 1, has a |beta_j| > tolerance.

    That is the test of the R package detectseparation, with HiGHS in place of lp_solve. As R does, it drops columns
    that depend on those before them up to a relative 1e-7.
    """
    import numpy as np
    from scipy.optimize import linprog

    columns, kept, basis = np.column_stack([np.ones(len(y)), X]), [], np.empty((len(y), 0))
    for j, column in enumerate(columns.T):
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        if np.linalg.norm(rest) > 1e-7 * np.linalg.norm(column):
            kept.append(j)
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
    Z = columns[:, kept] * y[:, None]
    solved = linprog(-Z.sum(axis=0), A_ub=-Z, b_ub=np.zeros(len(y)), bounds=(-1, 1), method="highs")
    if not solved.success:
        return None, None, None, solved.message
    beta = np.zeros(columns.shape[1])
    beta[kept] = solved.x
    largest = np.abs(beta).max()
    return beta[1:], beta[0], bool(largest > tolerance), f"max |beta| = {largest:.3g}"


def konis_lp(X: Any, y: Any, measure: str = "optimum", tolerance: float = 1e-8) -> Any:
    """Solve max sum y_i (x_i, 1).beta, y_i (x_i, 1).beta >= 0, |beta| <= 1 (Konis 2007); is the measure > tolerance?

    The measure is "optimum" or "sum |beta|", by which the R package safeBinaryRegression decides, with lp_solve in
    place of HiGHS.
    """
    import numpy as np
    from scipy.optimize import linprog

    Z = np.column_stack([X, np.ones(len(y))]) * y[:, None]
    solved = linprog(-Z.sum(axis=0), A_ub=-Z, b_ub=np.zeros(len(y)), bounds=(-1, 1), method="highs")
    if not solved.success:
        return None, None, None, solved.message
    value = -solved.fun if measure == "optimum" else np.abs(solved.x).sum()
    return solved.x[:-1], solved.x[-1], bool(value > tolerance), f"{measure} = {value:.3g}"


def feasible(X: Any, y: Any, seconds: float | None = None) -> Any:
    """Return whether SciPy's linprog finds w and b with y_i (w.x_i + b) >= 1; None if it does not say."""
    import numpy as np
    from scipy.optimize import linprog

    Z, limits = np.column_stack([X, np.ones(len(y))]) * y[:, None], {} if seconds is None else {"time_limit": seconds}
    none, one = np.zeros(Z.shape[1]), np.ones(len(y))
    solved = linprog(none, A_ub=-Z, b_ub=-one, bounds=(None, None), method="highs", options=limits)
    answer = {0: True, 2: False}.get(solved.status)
    w, b = (None, None) if solved.x is None else (solved.x[:-1], solved.x[-1])
    return w, b, answer, solved.message


def firthmodels_detection(X: Any, y: Any, tol: float = 1e-4) -> Any:
    """Ask firthmodels for separation: the linear program of Konis, and |beta| > tol. It returns no hyperplane."""
    from firthmodels import detect_separation

    separation = bool(detect_separation(X, (y > 0).astype(int), tol=tol).separation)
    return None, None, separation, f"separation={separation}"


def sklearn_classifier(X: Any, y: Any, name: str, **params: Any) -> Any:
    """Fit a linear classifier of scikit-learn."""
    import sklearn.linear_model
    import sklearn.svm

    module = sklearn.svm if name.endswith("SVC") else sklearn.linear_model
    return getattr(module, name)(**params).fit(X, y)


def training_accuracy(X: Any, y: Any, C: float = 1e10, **options: Any) -> Any:
    """Fit LIBSVM with a huge C, and return whether it predicts every training row rightly."""
    from sklearn.svm import SVC

    model = SVC(kernel="linear", C=C, **options).fit(X, y)
    share = model.score(X, y)
    return model.coef_[0], float(model.intercept_[0]), share == 1.0, f"{share:.1%} of the rows are right"


def statsmodels_logit(X: Any, y: Any, **options: Any) -> Any:
    """Fit a logistic regression with statsmodels' Logit."""
    import statsmodels.api as sm

    result = sm.Logit((y > 0).astype(int), sm.add_constant(X, has_constant="add")).fit(disp=0, **options)
    return result.params[1:], float(result.params[0]), bool(result.mle_retvals["converged"])


def statsmodels_glm(X: Any, y: Any, **options: Any) -> Any:
    """Fit a binomial GLM with statsmodels."""
    import statsmodels.api as sm

    model = sm.GLM((y > 0).astype(int), sm.add_constant(X, has_constant="add"), family=sm.families.Binomial())
    result = model.fit(**options)
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
        solver.set("timeout", max(1, int(1000 * seconds)))
    for row, sign in zip(X, y, strict=True):
        score: Any = z3.Sum([rational(value) * weight for value, weight in zip(row, w, strict=True) if value] + [b])
        solver.add(score >= 1 if sign > 0 else score <= -1)
    answer = str(solver.check())
    if answer != "sat":
        return None, None, {"unsat": False}.get(answer), answer
    model: Any = solver.model()
    values = [model.eval(variable, model_completion=True).as_fraction() for variable in (*w, b)]
    largest = max(abs(value) for value in values)  # a hyperplane may be multiplied by any positive number
    return [float(value / largest) for value in values[:-1]], float(values[-1] / largest), True, answer


def qsopt_ex(X: Any, y: Any, seconds: float | None = None) -> Any:
    """Ask esolver of QSopt_ex for a hyperplane with y_i (w.x_i + b) >= 1 in exact rational arithmetic.

    It ends itself after these seconds of processor time, and is given the limit of memory of this process.
    """
    import resource
    import subprocess
    from fractions import Fraction

    import numpy as np

    names, memory = [*(f"w{j}" for j in range(X.shape[1])), "b"], resource.getrlimit(resource.RLIMIT_DATA)[0]
    lines = ["Minimize", *(f"+0 {name}" for name in names), "Subject To"]
    for row in (np.column_stack([X, np.ones(len(y))]) * y[:, None]).tolist():
        ratios = [(*value.as_integer_ratio(), name) for value, name in zip(row, names, strict=True) if value]
        lines += [*(f"{p:+}/{q} {name}" for p, q, name in ratios), ">= 1"]
    lines += ["Bounds", *(f"{name} free" for name in names), "End", ""]
    limits = [] if seconds is None else ["-R", str(max(1, int(seconds)))]
    limits += [] if memory == resource.RLIM_INFINITY else ["-m", str(memory)]
    command = ["esolver", *limits, "-L", "-O", "/dev/stdout", "/dev/stdin"]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)
    status = done.stdout.partition("\n")[0].removeprefix("status = ") or done.stderr.rstrip().rpartition("\n")[2]
    if status != "OPTIMAL":
        return None, None, {"INFEASIBLE": False}.get(status), status
    found = done.stdout.partition("VARS:\n")[2].partition("REDUCED COST:")[0].splitlines()  # without what is 0
    values = dict.fromkeys(names, "0") | dict(line.split(" = ") for line in found)
    exact = [Fraction(value) for value in values.values()]
    largest = max(map(abs, exact))  # a hyperplane may be multiplied by any positive number
    *w, b = [float(value / largest) for value in exact]
    return w, b, True, status


def superadmm(X: Any, y: Any, seconds: float | None = None, **options: Any) -> Any:
    """Solve min 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1 with superADMM."""
    import numpy as np
    from superADMM import superADMM

    Z, P = np.column_stack([X, np.ones(len(y))]) * y[:, None], np.diag([1.0] * X.shape[1] + [0.0])
    settings = {"verbose": 0, "timeLimit": seconds or 0.0, **options}
    x, _, flag, info = superADMM(P, np.zeros(len(P)), Z, np.ones(len(y)), np.full(len(y), np.inf), options=settings)
    w, b = (x[:-1], x[-1]) if flag != -2 and np.isfinite(x).all() else (None, None)
    return w, b, {1: True, -2: False}.get(flag), info["status"].decode()


def gamfit_logit(X: Any, y: Any) -> Any:
    """Fit a logistic regression without penalties with gamfit, which looks for a separating hyperplane before it."""
    import gamfit
    from gamfit.errors import GamfitError

    table = {f"x{j}": column.tolist() for j, column in enumerate(X.T)} | {"y": (y > 0).astype(float).tolist()}
    formula = "y ~ " + " + ".join(f"linear({name}, double_penalty=false)" for name in [*table][:-1])
    try:
        summary: Any = gamfit.fit(table, formula, family="binomial").summary()
    except GamfitError as error:
        return None, None, None, f"{type(error).__name__}: {' '.join(str(error).split())}"
    (b, *w), estimator = [each["estimate"] for each in summary.coefficients], summary.convergence["estimator"]
    reason = estimator["reason"] or "none"  # to add the Jeffreys prior
    return w, b, {"separation": True, "none": False}.get(reason.partition(":")[0]), estimator["text"]


def libsvm(X: Any, y: Any, C: float = 1.0, tol: float = 1e-3) -> Any:
    """Fit LIBSVM's C-SVC, linear kernel; it stops after 10,000,000 iterations, or 100 for every row."""
    import numpy as np
    from libsvm.svm import PRINT_STRING_FUN, svm_parameter, svm_problem
    from libsvm.svmutil import svm_train

    log: list[str] = []
    settings = svm_parameter(f"-t 0 -c {float(C)} -e {float(tol)}")
    settings.print_func = PRINT_STRING_FUN(lambda text: log.append(text.decode()))
    model: Any = svm_train(svm_problem(y, X), settings)
    message = " ".join("".join(log).partition("optimization ")[2].split())  # finished, #iter = 12 nu = ...
    has_converged = int(message.split()[3]) < max(10_000_000, 100 * len(y))
    coefficients = np.ravel(model.get_sv_coef())
    w = coefficients @ X[np.array(model.get_sv_indices()) - 1] * model.get_labels()[0]
    message += f", dual = {np.abs(coefficients).sum() - w @ w / 2:.17g}"  # "obj" is of products rounded to 24 bits
    return w, -model.rho[0] * model.get_labels()[0], has_converged or None, message
