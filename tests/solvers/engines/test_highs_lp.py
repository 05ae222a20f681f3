"""HiGHS in a process where others have used it before."""

import pytest
from commands import python

AFTER_OTHERS = """
import highspy
theirs = highspy.Highs()
theirs.setOptionValue("threads", 3)
theirs.setOptionValue("parallel", "on")
theirs.addVar(1.0, 2.0)
assert theirs.run() == highspy.HighsStatus.kOk
import maxmargin
answer = maxmargin.separability([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [1, -1, -1, 1], method="highs")
print(answer.verdict, answer.attempts[0].status)
"""


@pytest.mark.slow
def test_a_number_of_threads_that_others_chose_is_no_failure() -> None:
    assert python(AFTER_OTHERS).splitlines()[-1] == "overlap Optimal"
