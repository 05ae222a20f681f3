"""Scripts of methods run outside maxmargin with the same answer; examples of plug-ins are short and right."""

import inspect
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import of_today
from method_cases import CASES, SLOW

import maxmargin as mm
from maxmargin.comparison.audit.scripts import Call
from maxmargin.comparison.methods.every_method import catalogue, method_of
from maxmargin.comparison.methods.method import Claim, Method

ROOT = Path(__file__).resolve().parents[2]

EXAMPLES = sorted((ROOT / "docs" / "studies" / "plugins").glob("*.py"))

# Lines of an example that are not blank.
LONGEST = 12

SCRIPTED = [method for method in catalogue().values() if method.is_installed and method.script is not None]

PRELUDE = """
import json, sys, warnings
from typing import Any
import numpy as np
sys.modules["maxmargin"] = None
warnings.simplefilter("ignore")
X, y, calls = json.loads(sys.stdin.read())
X, y = np.array(X), np.array(y)
"""

POSTLUDE = """
answers = []
for name, arguments in calls:
    found = globals()[name](X, y, **arguments)
    w, b = (found.coef_[0], found.intercept_[0]) if hasattr(found, "coef_") else found[:2]
    says = [each for each in found[2:] if isinstance(each, bool)] if isinstance(found, tuple) else []
    answers.append([None if w is None else [float(v) for v in w], None if b is None else float(b), says])
print(json.dumps(answers))
"""


def function_of(method: Method) -> Any:
    return method.script.func if isinstance(method.script, partial) else method.script


def outside(methods: list[Method], case: str) -> list[Any]:
    """Run the scripts of methods in a process that cannot import maxmargin, and return w, b and what they say."""
    calls = [Call.of(method.name, method, SLOW.get(method.name, {})) for method in methods]
    assert all(calls)
    functions = dict.fromkeys(call.function for call in calls if call)
    code = PRELUDE + "\n\n".join(map(inspect.getsource, functions)) + POSTLUDE
    named = [(call.function.__name__, dict(call.arguments)) for call in calls if call]
    given = [CASES[case].X.tolist(), CASES[case].y.tolist(), named]
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.slow
@pytest.mark.parametrize("name", dict.fromkeys(function_of(method).__name__ for method in SCRIPTED))
def test_a_script_gives_the_same_answer_outside(name: str) -> None:
    """For separable data one day, for data that overlap the next."""
    (case,) = of_today(["separable", "overlap"], 2)
    methods = [method for method in SCRIPTED if function_of(method).__name__ == name]
    X, y = CASES[case].X, CASES[case].y
    for method, (w, b, says) in zip(methods, outside(methods, case), strict=True):
        answer = method.fit(X, y, seed=0, time_limit=None, **SLOW.get(method.name, {}))
        if answer["w"] is not None:
            assert w == pytest.approx(np.asarray(answer["w"]), rel=1e-9, abs=1e-9), method.name
            assert b == pytest.approx(answer["b"], rel=1e-9, abs=1e-9), method.name
        if name in ("any_coefficient", "konis_lp", "firthmodels_detection"):
            assert says == [answer["claim"] == Claim.SEPARATION]
        if name in ("feasible", "qsopt_ex", "training_accuracy", "z3_rationals"):
            assert says == [answer["claim"] == Claim.SEPARABLE]


def test_all_scripts_of_peers_are_there() -> None:
    ours = ("perceptron", "online.", "hard-margin", "soft-margin", "lp")
    without = [name for name, method in catalogue().items() if method.script is None]
    assert all(name.startswith(ours) for name in without)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_of_a_plug_in_is_short(path: Path) -> None:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= LONGEST


@pytest.mark.slow
@pytest.mark.parametrize("case", ["separable", "overlap", "quasi-separable"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_of_a_plug_in_answers_right(path: Path, case: str) -> None:
    method, data = method_of(path.stem, (str(path),)), CASES[case]
    if not method.is_installed:
        pytest.skip(f"{method.needs} are not installed")
    assert len(method.version) == 12 and not method.summary.startswith("plug-in")
    answer = method.fit(data.X, data.y, seed=0, time_limit=None)
    w, b = np.asarray(answer["w"]), float(answer["b"])
    if path.stem == "piqp_dense":
        assert answer["claim"] == (Claim.MAXIMUM_MARGIN if case == "separable" else Claim.NOT_SEPARABLE)
        if case == "separable":
            margin = (data.y * (data.X @ w + b)).min() / np.linalg.norm(w)
            assert margin == pytest.approx(mm.hard_margin(data.X, data.y).margin, rel=1e-6)
    if path.stem == "skglm_svc":
        assert answer["objective"] == {"C": 1.0, "intercept": 1.0}
        wide = np.column_stack([data.X, np.ones(len(data.y))])
        value = (w @ w + b * b) / 2 + np.maximum(0, 1 - data.y * (data.X @ w + b)).sum()
        assert value == pytest.approx(mm.soft_margin(wide, data.y, bias=False).lower, rel=1e-2)
    if path.stem == "statsmodels_probit":
        assert answer["claim"] == (Claim.ESTIMATE_EXISTS if case == "overlap" else None)


def test_there_are_examples() -> None:
    assert {path.stem for path in EXAMPLES} == {"piqp_dense", "skglm_svc", "statsmodels_probit"}


BROKEN = {
    "fit = 5\n": "found no function fit",
    "def fit(X): pass\n": "expected fit(X, y, *, seed, time_limit)",
    "def fit(X, y, *, seed): pass\n": "expected fit(X, y, *, seed, time_limit)",
    "def fit(:\n": "SyntaxError",
    "import no_such_module\n": "no_such_module",
    "QUESTION = ['x']\ndef fit(X, y, *, seed, time_limit): pass\n": "QUESTION is ['x']",
    "QUESTION = 'what'\ndef fit(X, y, *, seed, time_limit): pass\n": "expected one of separation",
    "NAME = 'lp'\ndef fit(X, y, *, seed, time_limit): pass\n": "'lp' is a method already",
    "raise SystemExit(3)\n": "SystemExit",
    None: "",  # there is no such file
}


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_plug_in_is_refused_with_its_file_and_what_is_wrong(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "broken.py"
    if content is not None:
        path.write_text(content)
    with pytest.raises(mm.InvalidProblemError) as caught:
        method_of("broken", (str(path),))
    assert "broken.py" in str(caught.value) and BROKEN[content] in str(caught.value)


def test_parameters_warnings_and_needs_of_a_plug_in(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "NAME, NEEDS, QUESTION = 'my-method', ('no_such_module',), 'online'\n"
        "def fit(X, y, *, seed, time_limit, rate=1.0):\n"
        "    import warnings\n    warnings.warn('slow')\n"
        "    return {'w': X[0] * rate, 'message': 'done'}\n"
    )
    method = method_of("my-method", (str(path),))
    assert method.parameters == {"rate"} and method.question == "online" and not method.is_installed
    answer = method.fit(np.ones((2, 2)), np.array([1.0, -1.0]), seed=0, time_limit=None, rate=2.0)
    assert answer["message"] == "done; UserWarning: slow" and answer["w"].tolist() == [2.0, 2.0]
    with pytest.raises(mm.InvalidProblemError, match="did you mean 'rate'"):
        method.check("rates")
