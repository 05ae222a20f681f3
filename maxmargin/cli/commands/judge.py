"""``maxmargin judge``: a hyperplane from a file, next to what is proven about the data."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from maxmargin.api.fitted_planes import GivenPlane, plane_of_numbers, sign_of_side
from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request
from maxmargin.data.dataset import Dataset
from maxmargin.data.formats.source import STDIN, STDIN_NAME, standard_input
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import DataError, data_error, quote
from maxmargin.text.progress import waiting
from maxmargin.theory.plane_judgement import judge_plane

_EXAMPLE = 'an object such as {"w": [1.0, -2.0], "b": 0.5}'

_MOST_BYTES = 1 << 28
"""Largest size of a file that is read as a hyperplane."""

_MOST_DIGITS = 2000
"""Largest number of digits of a number; the longest binary64 number has 1,075."""


def judge(request: Request, *, document: dict[str, Any], name: str, g: float | None, time_limit: float | None) -> Exit:
    """Print the judgement of the hyperplane of a document, and return the exit code.

    Parameters
    ----------
    document : dict
        As `read_plane` returns it.
    name : str
        The name of its file, for messages.
    g, time_limit : float, optional
        As in `maxmargin.judge`.
    """
    plane = plane_of_document(document, name, request.dataset)
    if not request.bias:
        if plane.b != 0:
            _refuse(name, "b", repr(plane.b), "0, as --no-bias asks for hyperplanes through the origin")
        plane = plane.of_kind(bias=False)
    with waiting("judging the hyperplane", quiet=request.quiet):
        judged = judge_plane(request.dataset, plane, g=g, time_limit=time_limit)
    request = replace(request, bias=judged.bias)
    request.answer("judge", judged.fields, judged.summary)
    return Exit.OK if judged.separates else Exit.DOES_NOT_SEPARATE


def read_plane(path: Path, source: str | None) -> tuple[dict[str, Any], str]:
    """Return the document of a hyperplane, and the name of its file for messages.

    Parameters
    ----------
    path : path
        The file; ``-`` is the standard input.
    source : str, optional
        Where the data are read from.

    Raises
    ------
    DataError
        If the file is not a JSON object with a hyperplane.
    InvalidOptionError
        If the data and the hyperplane are both to be read from the standard input.
    OSError
        If the file cannot be read.
    """
    if str(path) != STDIN:
        try:
            with path.open("rb") as file:
                return _parsed(file.read(_MOST_BYTES + 1), str(path)), str(path)
        except FileNotFoundError as error:
            raise data_error(str(path), found="no such file", expected=f"a file with {_EXAMPLE}") from error
    if source == STDIN:
        raise InvalidOptionError("both SOURCE and --plane are -; expected the standard input for one of them only")
    return _parsed(standard_input().read(_MOST_BYTES + 1), STDIN_NAME), STDIN_NAME


def plane_of_document(document: dict[str, Any], name: str, dataset: Dataset) -> GivenPlane:
    """Return the hyperplane of a document for these data.

    The answers of the commands say which class is +1, and whether there is a bias; a document of only w and b has the
    class +1 on the side where w.x + b > 0, and has a bias unless b is 0.

    Raises
    ------
    DataError
        If it is none for these columns and classes.
    """
    if document.get("prepare", "raw") != "raw":
        _refuse(name, "prepare", _shown(document["prepare"]), "a hyperplane for the features as they are")
    try:
        plane = plane_of_numbers(document["w"], document["b"], dataset.feature_names)
    except InvalidOptionError as error:
        raise DataError(printable(f"{name}: {error.on_command_line}")) from error
    if not isinstance(document.get("bias", False), bool):
        _refuse(name, "bias", _shown(document["bias"]), "true or false")
    if document.get("bias") is False and plane.b != 0:
        _refuse(name, "bias", "false, where b is not 0", "true, or b = 0")
    if isinstance(document.get("bias"), bool):
        plane = plane.of_kind(bias=document["bias"])
    if document.get("positive") is None:
        return plane
    negative, positive = (_label(document.get(key)) for key in ("negative", "positive"))
    sign = sign_of_side(negative, positive, dataset)
    if sign is None:
        expected = f"one of the classes {quote(dataset.positive)} (+1) and {quote(dataset.negative)} (-1)"
        _refuse(name, "positive", _shown(document["positive"]), expected)
    return plane.turned(sign)


def _parsed(content: bytes, name: str) -> dict[str, Any]:
    if len(content) > _MOST_BYTES:
        raise data_error(name, found=f"more than {_MOST_BYTES:,} bytes", expected=_EXAMPLE)
    try:
        document = json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=_without_repeats,
            parse_float=_number,
            parse_int=_number,
            parse_constant=_number,
        )
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise data_error(name, line=line, found=f"the byte {content[error.start]:#04x}", expected="UTF-8") from error
    except json.JSONDecodeError as error:
        found = f"no JSON ({error.msg}, character {error.colno})"
        raise data_error(name, line=error.lineno, found=found, expected=_EXAMPLE) from error
    except RecursionError as error:
        raise data_error(name, found="arrays or objects that are nested too deeply", expected=_EXAMPLE) from error
    except _RepeatedKeyError as error:
        raise data_error(name, found=f"the key {quote(error.key)} twice", expected="every key once") from error
    return _checked(document, name)


def _checked(document: Any, name: str) -> dict[str, Any]:
    """Return the document with `w` and `b` of numbers, one of them in `w` at least."""
    if not isinstance(document, dict):
        raise data_error(name, found=_shown(document), expected=_EXAMPLE)
    w, b = document.get("w"), document.get("b")
    if "w" not in document:
        raise data_error(name, found=f"no key 'w' among {quote(', '.join(document))}", expected=_EXAMPLE)
    if not isinstance(w, list | dict) or not w:
        hint = ", as the answer of a command has that found no hyperplane" * (w is None)
        _refuse(name, "w", f"{_shown(w)}{hint}", "a list of numbers, or an object of numbers by the names of columns")
    entries = w.items() if isinstance(w, dict) else enumerate(w)
    checked = {key: _finite(value, name, f"w[{quote(key)}]") for key, value in entries}
    offset = 0.0 if b is None and "b" not in document else _finite(b, name, "b")
    return {**document, "w": checked if isinstance(w, dict) else list(checked.values()), "b": offset}


def _finite(value: Any, name: str, key: str) -> float:
    if not isinstance(value, _Number):
        _refuse(name, key, _shown(value), "a number")
    if not math.isfinite(value) or (float(value) == 0 and value.has_digits):
        _refuse(name, key, quote(value.text), "a finite number within the range of binary64")
    if value.is_rounded:
        _refuse(name, key, quote(value.text), "a whole number that binary64 holds")
    return float(value)


class _Number(float):
    """A number as it is written; integers are never long integers, which Python may refuse to read."""

    text: str

    @property
    def is_rounded(self) -> bool:
        """Whether a whole number is written that binary64 does not hold."""
        return self.text.lstrip("-").isdecimal() and int(float(self)) != int(self.text)

    @property
    def has_digits(self) -> bool:
        """Whether the number that is written is not 0."""
        return any(character in "123456789" for character in self.text.lower().partition("e")[0])


def _number(text: str) -> _Number:
    number = _Number(text if len(text) <= _MOST_DIGITS else "nan")
    number.text = text
    return number


class _RepeatedKeyError(ValueError):
    """An object has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RepeatedKeyError(key)
        found[key] = value
    return found


def _label(value: Any) -> Any:
    """Return a label as it is written, if it is a number."""
    return value.text if isinstance(value, _Number) else value


def _shown(value: Any) -> str:
    """Return how a message shows a value of JSON."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, _Number):
        return f"the number {quote(value.text)}"
    if isinstance(value, str):
        return f"the text {quote(value)}"
    return f"{'an object' if isinstance(value, dict) else 'a list'} of length {len(value)}"


def _refuse(name: str, key: str, found: str, expected: str) -> NoReturn:
    raise data_error(f"{name}: {key}", found=found, expected=expected)
