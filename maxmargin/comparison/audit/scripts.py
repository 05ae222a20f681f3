"""A script that gives the answers of other packages again."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from maxmargin.comparison.methods.method import Method
from maxmargin.data.dataset import Dataset, problem_of
from maxmargin.data.reading.loading import load
from maxmargin.data.sources.opening import BUNDLED

# Number of entries of X up to which the script holds the rows themselves.
_FEW = 400

_SHOW = """\
def show(name, ask):
    try:
        answer = ask()
    except Exception as error:
        print(name, "fails:", error)
        return
    w, b = (answer.coef_[0], answer.intercept_[0]) if hasattr(answer, "coef_") else (*answer, None)[:2]
    print(name, answer[2:] if isinstance(answer, tuple) else answer)
    if w is not None:
        w = np.array(w)
        print("    least y(w.x + b)/||w|| =", (y * (X @ w + b)).min() / np.linalg.norm(w))
"""


def setting_name(entry: Mapping[str, Any]) -> str:
    """Return a method with its parameters.

    Examples
    --------
    >>> setting_name({"method": "sklearn.LinearSVC", "params": {"C": 1e6, "loss": "hinge"}})
    "sklearn.LinearSVC(C=1000000.0, loss='hinge')"
    """
    params = ", ".join(f"{name}={value!r}" for name, value in entry["params"].items())
    return f"{entry['method']}({params})" if params else str(entry["method"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a function that stands alone.

    Attributes
    ----------
    name : str
        What it asks.
    function : callable
    arguments : mapping
        Besides X and y.
    """

    name: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]

    @classmethod
    def of(cls, name: str, method: Method, params: Mapping[str, Any]) -> "Call | None":
        """Return the call that gives the answer of a method; None for the methods of this package."""
        if method.script is None:
            return None
        function, arguments = method.script, dict(params) | ({"random_state": 0} if method.is_random else {})
        if isinstance(function, partial):
            arguments = {**function.keywords, **arguments}
            function = function.func
        known = inspect.signature(function).parameters
        takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in known.values())
        kept = {key: value for key, value in arguments.items() if takes_any or key in known}
        return cls(name=name, function=function, arguments=kept)

    @property
    def text(self) -> str:
        """The call as code."""
        values = {key: "math.inf" if value == float("inf") else repr(value) for key, value in self.arguments.items()}
        arguments = "".join(f", {key}={value}" for key, value in values.items())
        return f"show({self.name!r}, lambda: {self.function.__name__}(X, y{arguments}))"


def script_of(calls: Sequence[Call], dataset: Dataset) -> str:
    """Return a command for the shell that reads the rows of a data set of two classes, and makes the calls."""
    functions = [inspect.getsource(function).rstrip() + "\n" for function in dict.fromkeys(c.function for c in calls)]
    head = ["python - <<'END'", "import math", "from typing import Any", "import numpy as np"]
    lines = [*_data_lines(dataset), "", _SHOW, "", "\n\n".join(functions), *(call.text for call in calls)]
    return "\n".join([*head, *lines, "END"])


def _data_lines(dataset: Dataset) -> list[str]:
    """Return the lines that give X and y, the very rows of the data set.

    Bundled data are read with scikit-learn, and a few rows are written out. Others are read with `maxmargin.load`, if
    that gives these rows, or else from a file that the reader has to write.
    """
    problem = problem_of(dataset)
    X = problem.X if isinstance(problem.X, np.ndarray) else problem.X.toarray()
    if dataset.source in BUNDLED and _is_what_is_read(dataset):
        return [
            f"from sklearn.datasets import load_{dataset.source}",
            f"data = load_{dataset.source}()",
            "names = np.array([str(name) for name in data.target_names])[data.target]",
            f"X, y = data.data, np.where(names == {str(dataset.positive)!r}, 1.0, -1.0)",
        ]
    if X.size <= _FEW:
        rows = ",\n".join(f"    {row}" for row in X.tolist())
        return [f"X = np.array([\n{rows}\n])", f"y = np.array({problem.y.tolist()})"]
    if _is_what_is_read(dataset):
        return [
            "import maxmargin as mm",
            f"data = mm.load({dataset.source!r}, positive={dataset.positive!r})  # nothing else of it is used",
            "X, y = data.X, data.y.astype(float)",
        ]
    return [
        'saved = np.load("data.npz")  # of these rows, with y = -1 and +1: np.savez("data.npz", X=X, y=y)',
        'X, y = saved["X"], saved["y"].astype(float)',
    ]


def _is_what_is_read(dataset: Dataset) -> bool:
    """Return whether the source, read without further options, has these rows."""
    try:
        read = problem_of(load(dataset.source, positive=dataset.positive))
    except (ValueError, OSError):
        return False
    return read.sha256 == problem_of(dataset).sha256
