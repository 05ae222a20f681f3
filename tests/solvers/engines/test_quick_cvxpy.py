"""cvxpy is loaded without scipy.stats, which is still the real module for whoever asks for it."""

import subprocess
import sys

import pytest

LOADED = "import sys, maxmargin.solvers.engines.textbook.formulations as formulations\n"


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_the_programs_need_no_statistics() -> None:
    assert run(LOADED + "print('cvxpy' in sys.modules, 'scipy.stats' in sys.modules)") == "True False"


@pytest.mark.parametrize(
    "question",
    [
        "import scipy.stats; print(scipy.stats.norm.cdf(0.0))",
        "from scipy.stats import norm; print(norm.cdf(0.0))",
        "import scipy; print(scipy.stats.norm.cdf(0.0))",
        "from scipy.stats import entropy; print(entropy([0.2, 0.8]) - 0.000402423538188)",
    ],
)
def test_afterwards_statistics_are_real(question: str) -> None:
    assert float(run(LOADED + question)) == pytest.approx(0.5)


def test_statistics_that_are_loaded_stay() -> None:
    code = "import scipy.stats as before, sys\n" + LOADED + "print(sys.modules['scipy.stats'] is before)"
    assert run(code) == "True"


def test_whatever_else_is_asked_meanwhile_is_answered_by_the_real_module() -> None:
    code = """
from maxmargin.solvers.engines.textbook.quick_cvxpy import without_statistics
with without_statistics():
    from scipy.stats import entropy
    from scipy.stats import norm
import scipy.stats
print(norm is scipy.stats.norm, entropy([0.5, 0.5]) == scipy.stats.entropy([0.5, 0.5]))
"""
    assert run(code) == "True True"
