"""The maximum margin of real, ill-conditioned data, raw, by different means: what each claims, what it reached.

Every hyperplane that comes back is judged by its exact geometric margin, with the best offset, against the proven
upper bound.

Examples:
  python benchmarks/run.py margins
  python benchmarks/run.py margins --data 'wine*' --repeat 3
"""

import warnings
from collections.abc import Callable
from typing import Any

from data import bundled, title
from hard_margin import Answer, Data, accuracy, judge, ours, textbook
from measuring import Benchmark, Peer

# LIBSVM's limit, without which it does not end on breast_cancer.
MOST_ITERATIONS = 10_000_000

NAMES = ("breast_cancer", "wine", "digits")


def points(name: str) -> Callable[[float], Data]:
    def make(_scale: float) -> Data:
        X, y = bundled(name)
        return X, y, y

    return make


def libsvm(data: Data, _: Any) -> Answer:
    from sklearn.svm import SVC

    X, y, _w = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(kernel="linear", C=1e10, max_iter=MOST_ITERATIONS).fit(X, y)
    claims = "no error" if model.fit_status_ == 0 else "iteration limit"
    return model.coef_.ravel(), f"{claims}, {100 * model.score(X, y):.0f} % right"


BENCHMARK = Benchmark(
    file=__file__,
    data={title(name): points(name) for name in NAMES},
    peers={
        "maxmargin": Peer(solve=ours),
        "cvxpy, default solver": Peer(solve=textbook(None), seconds=1.0),
        "cvxpy, Clarabel": Peer(solve=textbook("CLARABEL")),
        "cvxpy, DAQP": Peer(solve=textbook("DAQP")),
        "LIBSVM, C = 1e10": Peer(solve=libsvm, seconds=2.0),
    },
    ours="maxmargin",
    judge=judge,
    accuracy=accuracy,
    preparation=2.0,
    columns={"claims": "claims"},
)
