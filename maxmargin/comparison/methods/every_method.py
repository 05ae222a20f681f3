"""The methods by name: ours, peers, and plug-ins."""

from collections.abc import Sequence
from functools import lru_cache

from maxmargin.comparison.methods import (
    cvxpy_solvers,
    online_runs,
    ours,
    scikit_learn,
    separation_tests,
    statistical_fits,
)
from maxmargin.comparison.methods.method import Method
from maxmargin.comparison.methods.plugins import from_entry_points, from_file
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import nearest, quoted

# Modules with a function `methods`.
_FAMILIES = (online_runs, ours, scikit_learn, cvxpy_solvers, statistical_fits, separation_tests)


@lru_cache(maxsize=1)
def catalogue() -> dict[str, Method]:
    """Return all methods by name, installed or not; no peer is imported.

    Entry points of other packages take no name that is ours.
    """
    own = {method.name: method for family in _FAMILIES for method in family.methods()}
    return own | {method.name: method for method in from_entry_points() if method.name not in own}


def method_of(name: str, plugins: Sequence[str] = ()) -> Method:
    """Return the method of a name: from the Python files that are given, or from the catalogue.

    Raises
    ------
    InvalidOptionError
        If there is no such method, or a file is no plug-in.
    """
    known = catalogue() | _from_files(plugins)
    for candidate in (name, f"online.{name}"):
        if candidate in known:
            return known[candidate]
    hint = nearest(name, known)
    raise InvalidOptionError(f"there is no method {quoted(name)}{f'; {hint}' if hint else ''}")


def _from_files(paths: Sequence[str]) -> dict[str, Method]:
    """Return the methods of Python files by their names, each of which is new."""
    found: dict[str, Method] = {}
    for path in paths:
        method = from_file(path)
        if method.name in found or method.name in catalogue():
            raise InvalidOptionError(
                f"plug-in {path}: {quoted(method.name)} is a method already; expected another NAME"
            )
        found[method.name] = method
    return found
