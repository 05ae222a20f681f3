"""A script that gives the answers of other packages without this one."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from maxmargin.comparison.methods.method import Method

_BUNDLED = ("iris", "wine", "breast_cancer", "digits")
"""Data sets that scikit-learn reads."""

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


def script_of(calls: Iterable[Call], source: str, positive: Any) -> str:
    """Return a command for the shell that reads the data and makes the calls.

    Parameters
    ----------
    calls : iterable of Call
    source : str
        The source of the data, as `maxmargin.load` takes it.
    positive : object
        The class that is +1.
    """
    every = list(calls)
    functions = [inspect.getsource(function).rstrip() + "\n" for function in dict.fromkeys(c.function for c in every)]
    lines = [*_data_lines(source, positive), "", _SHOW, "", "\n\n".join(functions), *(call.text for call in every)]
    return "\n".join(["python - <<'END'", "import math", "from typing import Any", *lines, "END"])


def _data_lines(source: str, positive: Any) -> list[str]:
    """Return the lines that read the data: bundled data with scikit-learn, all others with `maxmargin.load`."""
    if source not in _BUNDLED:
        return [
            "import numpy as np",
            "import maxmargin as mm",
            "",
            f"data = mm.load({source!r}, positive={positive!r})  # reads the file; nothing else of it is used",
            "X, y = data.X, data.y.astype(float)",
        ]
    return [
        "import numpy as np",
        f"from sklearn.datasets import load_{source}",
        "",
        f"data = load_{source}()",
        "names = np.array([str(name) for name in data.target_names])[data.target]",
        f"X, y = data.data, np.where(names == {str(positive)!r}, 1.0, -1.0)",
    ]
