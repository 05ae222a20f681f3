"""What a proven verdict costs, in units of things that cannot be avoided.

* One million rows: the proof of a separating hyperplane, in passes ``X @ w``.
* digits, every class against the rest: the proven verdict, in feasibility LPs of that size by HiGHS.
* breast_cancer: the proven verdict and the exact margin, in seconds.

Times are medians in this process, validation included, imports excluded.

Example: python benchmarks/verdicts.py --repeat 5 -o benchmarks/verdicts.json
"""

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import maxmargin as mm
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.feasibility import prove_separable, separability
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.scaling import ColumnScaling


def median_seconds(work: Callable[[], Any], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def planted(n_samples: int, n_features: int, margin: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points of the unit sphere, moved away from a random hyperplane by `margin`, their signs, its normal."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    X /= np.linalg.norm(X, axis=1)[:, None]
    w = rng.normal(size=n_features)
    w /= np.linalg.norm(w)
    y = np.where(X @ w > 0, 1.0, -1.0)
    X += margin * y[:, None] * w
    return X, y, w


def million_rows(repeat: int) -> dict[str, float]:
    X, y, w = planted(1_000_000, 50, 0.02)
    one_pass = median_seconds(lambda: X @ w, repeat)
    # A fresh problem each time: nothing is remembered from the last proof.
    proof = median_seconds(lambda: prove_separable(Problem(X, y), w), repeat)
    whole = median_seconds(lambda: separability(Problem(X, y)), repeat)
    return {"proof_passes": proof / one_pass, "verdict_passes": whole / one_pass, "pass_seconds": one_pass}


def digits(repeat: int) -> list[dict[str, Any]]:
    data = mm.load("digits")
    rows = []
    for label in data.classes:
        part = data.one_vs_rest(label)
        X, y = part.X, part.y.astype(np.float64)
        scaled = ColumnScaling.of(Problem(X, y)).apply(X)
        lp = median_seconds(lambda scaled=scaled, y=y: highs_lp.solve(scaled, y, bias=True), repeat)
        verdict = median_seconds(lambda X=X, y=y: separability(Problem(X, y)), repeat)
        answer = separability(Problem(X, y))
        rows.append(
            {
                "class": label,
                "verdict": answer.verdict.value,
                "separated_rows": len(answer.separated_rows),
                "times_lp": verdict / lp,
                "lp_seconds": lp,
            }
        )
    return rows


def breast_cancer(repeat: int) -> dict[str, Any]:
    data = mm.load("breast_cancer")
    answer = mm.hard_margin(data.X, data.y, exact=True)
    return {
        "verdict_seconds": median_seconds(lambda: mm.separability(data.X, data.y), repeat),
        "exact_margin_seconds": median_seconds(lambda: mm.hard_margin(data.X, data.y, exact=True), repeat),
        "lower": answer.lower,
        "upper": answer.upper,
        "digits_of_the_fraction": len(str(answer.margin_squared)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    report = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "repeat": options.repeat,
        "million_rows": million_rows(options.repeat),
        "digits": digits(options.repeat),
        "breast_cancer": breast_cancer(options.repeat),
    }
    text = json.dumps(report, indent=2) + "\n"
    print(text, end="")
    if options.output is not None:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
