"""scikit-learn's own tests of SVC, LinearSVC and Perceptron, with our names in place of theirs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "models" / "scikit-learn.md"

# All that is changed in their files: old texts and new ones, in this order.
SQUARED = 'MaxMarginClassifier(loss="squared_hinge")'
CHANGES = {
    "svm/tests/test_svm.py": [
        ("from sklearn.svm import (", "from maxmargin import MaxMarginClassifier\nfrom sklearn.svm import ("),
        ('svm.SVC(kernel="linear", ', "MaxMarginClassifier("),
        ('svm.SVC(kernel="linear")', "MaxMarginClassifier()"),
        ("svm.LinearSVC(random_state=0)", SQUARED),
        ("svm.LinearSVC(random_state=global_random_seed)", SQUARED),
        ("random_state=global_random_seed, tol=1e-12, max_iter=1000", 'loss="squared_hinge"'),
        ("svm.LinearSVC(", "MaxMarginClassifier("),
    ],
    "linear_model/tests/test_perceptron.py": [
        ("from sklearn.linear_model import Perceptron", "from maxmargin import PerceptronClassifier"),
        ("= Perceptron(", "= PerceptronClassifier("),
        ("max_iter=", "max_epochs="),
        ("tol=None", "n_iter_no_change=None"),
        ("shuffle=False", 'order="cyclic"'),
    ],
}


@pytest.mark.parametrize(
    ("file", "n_all"), [("svm/tests/test_svm.py", 128), ("linear_model/tests/test_perceptron.py", 6)]
)
def test_only_what_the_page_says_is_refused(file: str, n_all: int, tmp_path: Path) -> None:
    text = (Path(sklearn.__file__).parent / file).read_text()
    for old, new in CHANGES[file]:
        assert old in text, old
        text = text.replace(old, new)
    (tmp_path / "test_adapted.py").write_text(text)
    options = f"-p sklearn.conftest -p no:cacheprovider -c {os.devnull} --rootdir {tmp_path} -W ignore".split()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rfEp", "-n", "0", *options, "test_adapted.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    outcomes = re.findall(r"^(PASSED|FAILED|ERROR) test_adapted\.py::(test_\w+)", done.stdout, re.MULTILINE)
    refused = {name for outcome, name in outcomes if outcome != "PASSED"}
    listed = set(re.findall(r"^\| `(test_\w+)`", PAGE.read_text(), re.MULTILINE)) & {name for _, name in outcomes}
    assert len(outcomes) == n_all, done.stdout[-2000:]
    assert refused == listed
