"""Methods that others write: a Python file, or an entry point of the group `maxmargin.methods`."""

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from functools import lru_cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from maxmargin.comparison.methods.method import Answer, Method, QuestionKind
from maxmargin.comparison.methods.recorded_warnings import with_warnings
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.regular_files import read_regular_file

# The group of entry points; each names a module with `fit`, or the function itself.
GROUP = "maxmargin.methods"

# Arguments that every method is given by name, besides its parameters.
_HANDED = ("seed", "time_limit")


def from_file(path: str) -> Method:
    """Return the method of a Python file: its `fit`, called NAME or as the file, which NEEDS modules.

    It is taken for RANDOM, so that it runs with every seed of a study, unless it says that it is not.

    Raises
    ------
    InvalidOptionError
        If the file cannot be run, or has no `fit` with the arguments of a method.
    """
    try:
        content = read_regular_file(path)
    except (OSError, ValueError) as error:
        raise InvalidOptionError(f"plug-in {path!r}: {getattr(error, 'strerror', None) or error}") from None
    return _from_file(path, hashlib.sha256(content).hexdigest()[:12])


@lru_cache(maxsize=256)
def _from_file(path: str, mark: str) -> Method:
    """Return the method of a file with this hash; a file is run once, and again when it has changed."""
    name = Path(path).stem
    spec = importlib.util.spec_from_file_location(f"maxmargin_plugin_{name}", path)
    if spec is None or spec.loader is None:
        raise InvalidOptionError(f"plug-in {path}: expected a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        with redirect_stdout(sys.stderr):  # stdout is for the answer of the command
            spec.loader.exec_module(module)
    except BaseException as error:
        raise InvalidOptionError(f"plug-in {path}: {type(error).__name__}: {error}") from error
    return _method(module, default=name, where=f"plug-in {path}", mark=mark)


def from_entry_points() -> Iterator[Method]:
    """Yield the methods that installed packages offer."""
    for point in entry_points(group=GROUP):
        mark = "" if point.dist is None else f"{point.dist.name} {point.dist.version}"
        try:
            yield _method(point.load(), default=point.name, where=f"entry point {point.name}", mark=mark)
        except Exception as error:  # another package's fault must not hide every method
            summary = f"broken entry point: {error}"
            yield Method(
                name=point.name, fit=partial(_broken, summary), question=QuestionKind.SEPARATION, summary=summary,
                mark=mark, parameters=None,
            )  # fmt: skip


def _broken(summary: str, *_: Any, **__: Any) -> Answer:
    raise InvalidOptionError(summary)


def _method(found: ModuleType | Callable[..., Any], *, default: str, where: str, mark: str) -> Method:
    fit = found if callable(found) else getattr(found, "fit", None)
    if not callable(fit):
        raise InvalidOptionError(f"{where}: found no function fit(X, y, *, seed, time_limit)")
    question, needs = getattr(found, "QUESTION", QuestionKind.SEPARATION.value), getattr(found, "NEEDS", ())
    if not isinstance(question, str) or question not in set(QuestionKind):
        raise InvalidOptionError(f"{where}: QUESTION is {question!r}; expected one of {', '.join(QuestionKind)}")
    return Method(
        name=getattr(found, "NAME", default),
        fit=partial(_heard, fit),
        question=QuestionKind(question),
        summary=(fit.__doc__ or getattr(found, "__doc__", None) or where).strip().partition("\n")[0],
        claims="what it returns as its claim",
        needs=(needs,) if isinstance(needs, str) else tuple(needs),
        mark=mark,
        is_foreign=True,
        is_random=bool(getattr(found, "RANDOM", True)),
        parameters=_parameters(fit, where),
    )


def _heard(fit: Callable[..., Any], X: Any, y: Any, **options: Any) -> Answer:
    """Call `fit`, and add its warnings to its message."""
    answer: Answer
    answer, said = with_warnings(fit, X, y, **options)
    if not (said and isinstance(answer, Mapping)):
        return answer
    return {**answer, "message": "; ".join([part for part in (answer.get("message"), *said) if part])}


def _parameters(fit: Callable[..., Any], where: str) -> frozenset[str] | None:
    """Return the names of the parameters of `fit`; None if it takes any."""
    parameters = inspect.signature(fit).parameters.values()
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)
    named = [each.name for each in parameters if each.kind in (each.KEYWORD_ONLY, each.POSITIONAL_OR_KEYWORD)]
    if not takes_any and not set(_HANDED) <= set(named):
        raise InvalidOptionError(f"{where}: fit takes ({', '.join(named)}); expected fit(X, y, *, seed, time_limit)")
    return None if takes_any else frozenset(named[2:]) - set(_HANDED)
