"""HiGHS in a process where others have used it before."""

import subprocess
import sys

import pytest

AFTER_OTHERS = """
import highspy

theirs = highspy.Highs()
theirs.setOptionValue("output_flag", False)
theirs.setOptionValue("threads", {threads})
theirs.setOptionValue("parallel", "on")
theirs.addVar(1.0, 2.0)
assert theirs.run() == highspy.HighsStatus.kOk

import maxmargin as mm

answer = mm.separability([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [1, -1, -1, 1], method="highs")
print(answer.verdict, answer.attempts[0].status)
"""


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_number_of_threads_that_others_chose_is_no_failure(threads: int) -> None:
    code = AFTER_OTHERS.format(threads=threads)
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.splitlines()[-1] == "overlap Optimal"
