"""Scripts that reproduce an answer of another package outside this one."""

import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any

from maxmargin.comparison.methods.method import Method

_BUNDLED = ("iris", "wine", "breast_cancer", "digits")


def script_of(method: Method, params: Mapping[str, Any], source: str, positive: Any) -> str | None:
    """Return a command that gives the answer of a method; None for our own methods.

    Parameters
    ----------
    method : Method
    params : mapping
        Its parameters.
    source : str
        The source of the data, as `maxmargin.load` takes it.
    positive : object
        The class that is +1.
    """
    if method.script is None:
        return None
    function, fixed = method.script, dict(params)
    if isinstance(function, partial):
        function, fixed = function.func, {**function.keywords, **fixed}
    accepted = inspect.signature(function).parameters
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in accepted.values())
    arguments = "".join(f", {key}={value!r}" for key, value in fixed.items() if takes_any or key in accepted)
    call = f"answer = {function.__name__}(X, y{arguments})"
    source_lines = inspect.getsource(function).rstrip()
    lines = [_data_lines(source, positive), "from typing import Any", source_lines, call, _PRINTED]
    return "python - <<'END'\n" + "\n".join(lines) + "\nEND"


_PRINTED = """\
w, b = (answer.coef_[0], answer.intercept_[0]) if hasattr(answer, "coef_") else (answer[0], answer[1])
print("status or score:", answer[2:] if isinstance(answer, tuple) else answer.n_iter_)
if w is not None:
    print("least y(w.x + b)/||w||:", (y * (X @ np.array(w) + b)).min() / np.linalg.norm(w))"""


def _data_lines(source: str, positive: Any) -> str:
    """Return the lines that read the data: bundled data with scikit-learn, all others with `maxmargin.load`."""
    if source in _BUNDLED:
        return (
            f"import numpy as np\nfrom sklearn.datasets import load_{source}\n"
            f"data = load_{source}()\n"
            f"y = np.where(np.array([str(name) for name in data.target_names])[data.target] == {str(positive)!r}, 1.0, -1.0)\n"
            "X = data.data"
        )
    return (
        "import numpy as np\nimport maxmargin as mm\n"
        f"data = mm.load({source!r}, positive={positive!r})  # reads the file, nothing else\n"
        "X, y = data.X, data.y.astype(float)"
    )
