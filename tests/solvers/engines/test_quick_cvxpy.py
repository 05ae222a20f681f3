"""cvxpy is loaded without scipy.stats, which is still the real module for whoever asks for it."""

import pytest
from commands import python

LOADED = "import sys, maxmargin.solvers.engines.textbook.formulations as formulations; "


IN_THE_BLOCK = """
from maxmargin.solvers.engines.textbook.quick_cvxpy import without_statistics
with without_statistics():
    from scipy.stats import entropy, norm
"""


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("code, printed", [
    (LOADED + "print('cvxpy' in sys.modules, 'scipy.stats' in sys.modules)", "True False"),
    (LOADED + "import scipy; print(scipy.stats.norm.cdf(0.0))", "0.5"),
    (LOADED + "from scipy.stats import entropy; print(round(entropy([0.2, 0.8]), 9))", "0.500402424"),
    ("import scipy.stats as before; " + LOADED + "print(sys.modules['scipy.stats'] is before)", "True"),
    (IN_THE_BLOCK + "import scipy.stats as s; print(norm is s.norm, entropy([1, 1]) == s.entropy([1, 1]))",
     "True True"),
])  # fmt: skip
def test_statistics_are_loaded_and_real_only_for_whoever_asks(code: str, printed: str) -> None:
    assert python(code).strip() == printed
