"""The hard margin by the dense solver of PIQP, called directly."""

NEEDS, QUESTION, RANDOM = ("piqp",), "hard margin", False
CLAIMS = {"PIQP_SOLVED": "maximum margin", "PIQP_PRIMAL_INFEASIBLE": "not separable"}


def fit(X, y, *, seed, time_limit):
    import numpy as np
    import piqp

    solver, G = piqp.DenseSolver(), y[:, None] * np.column_stack([X, np.ones(len(y))])
    P = np.diag([1.0] * X.shape[1] + [0.0])
    solver.setup(np.asfortranarray(P), np.zeros(len(P)), G=np.asfortranarray(G), h_l=np.ones(len(y)))
    status, (*w, b) = solver.solve().name, solver.result.x
    return {"w": w, "b": b, "claim": CLAIMS.get(status), "message": status}
