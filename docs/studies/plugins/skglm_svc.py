"""LinearSVC of skglm, which ignores fit_intercept: the bias is the weight of a constant column."""

NEEDS, QUESTION, RANDOM = ("skglm",), "soft margin", False


def fit(X, y, *, seed, time_limit, C=1.0, tol=1e-4, max_iter=50):
    import numpy as np
    from skglm import LinearSVC

    model = LinearSVC(C=C, tol=tol, max_iter=max_iter, fit_intercept=False)
    model.fit(np.asfortranarray(np.column_stack([X, np.ones(len(y))])), y)
    *w, b = np.ravel(model.coef_)
    claim = "optimal" if model.n_iter_ < max_iter else None
    return {"w": w, "b": b, "claim": claim, "objective": {"C": C, "intercept": 1.0}}
