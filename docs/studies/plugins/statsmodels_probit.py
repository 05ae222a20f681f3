"""Probit regression by statsmodels."""

NEEDS, QUESTION, RANDOM = ("statsmodels",), "logistic", False


def fit(X, y, *, seed, time_limit, maxiter=35):
    import statsmodels.api as sm

    result = sm.Probit((y > 0).astype(int), sm.add_constant(X, has_constant="add")).fit(disp=0, maxiter=maxiter)
    claim = "estimate exists" if result.mle_retvals["converged"] else None
    return {"w": result.params[1:], "b": result.params[0], "claim": claim}
