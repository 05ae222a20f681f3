"""``maxmargin judge``: a hyperplane from a file, compared with the proven maximum margin and bounds."""

import json
import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request
from maxmargin.data.dataset import Dataset
from maxmargin.data.sources.opening import STDIN, STDIN_NAME, standard_input
from maxmargin.models.fitted_planes import GivenPlane, plane_of_numbers, sign_of_side
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import DataError, data_error, quoted
from maxmargin.text.progress import waiting
from maxmargin.text.regular_files import read_at_most, read_regular_file
from maxmargin.theory.plane_judgement import judge_plane

_EXAMPLE = 'an object such as {"w": [1.0, -2.0], "b": 0.5}'


def judge(request: Request, *, document: dict[str, Any], name: str, g: float | None) -> Exit:
    """Print the judgement of the hyperplane of a document, and return the exit code.

    Parameters
    ----------
    document : dict
        As `read_plane` returns it.
    name : str
        The name of its file, for messages.
    g : float, optional
        As in `maxmargin.judge`.
    """
    plane = plane_of_document(document, name, request.dataset)
    if not request.bias:
        if plane.b != 0:
            _refuse(name, "b", repr(plane.b), "0, as --no-bias asks for hyperplanes through the origin")
        plane = plane.of_kind(bias=False)
    with waiting("judging the hyperplane", quiet=request.options.quiet):
        judged = judge_plane(request.dataset, plane, g=g, time_limit=request.limits.share())
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
        If the file cannot be read: it is no regular file, or has more than 1 GiB.
    """
    if str(path) != STDIN:
        try:
            return _parsed(read_regular_file(path), str(path)), str(path)
        except FileNotFoundError as error:
            raise data_error(str(path), found="no such file", expected=f"a file with {_EXAMPLE}") from error
    if source == STDIN:
        raise InvalidOptionError("both SOURCE and --plane are -; expected the standard input for one of them only")
    return _parsed(read_at_most(standard_input(), STDIN_NAME), STDIN_NAME), STDIN_NAME


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
    w, b = document["w"], document.get("b", 0.0)
    try:
        # An array of numbers and texts would hold texts only, so that a message could not name the first of them.
        entries = w if isinstance(w, dict) else np.array(w, dtype=object)
        plane = plane_of_numbers(entries, b, dataset.feature_names).of_kind(document.get("bias"))
    except InvalidOptionError as error:
        raise DataError(printable(f"{name}: {error.on_command_line}")) from error
    if document.get("positive") is None:
        return plane
    sign = sign_of_side(document.get("negative"), document["positive"], dataset)
    if sign is None:
        expected = f"one of the classes {quoted(dataset.positive)} (+1) and {quoted(dataset.negative)} (-1)"
        _refuse(name, "positive", _shown(document["positive"]), expected)
    return plane.turned(sign)


def _parsed(content: bytes, name: str) -> dict[str, Any]:
    """Return the object of a file, with the key `w`; `plane_of_document` looks at its numbers."""
    try:
        document = json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=partial(_without_repeats, name),
            parse_float=_number,
            parse_int=_number,
        )
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise data_error(name, line=line, found=f"the byte {content[error.start]:#04x}", expected="UTF-8") from error
    except json.JSONDecodeError as error:
        found = f"no JSON ({error.msg}, character {error.colno})"
        raise data_error(name, line=error.lineno, found=found, expected=_EXAMPLE) from error
    except RecursionError as error:
        raise data_error(name, found="arrays or objects that are nested too deeply", expected=_EXAMPLE) from error
    if not isinstance(document, dict):
        raise data_error(name, found=_shown(document), expected=_EXAMPLE)
    if "w" not in document:
        raise data_error(name, found=f"no key 'w' among {quoted(', '.join(document))}", expected=_EXAMPLE)
    w = document["w"]
    if not isinstance(w, list | dict) or not w:
        hint = ", as the answer of a command has that found no hyperplane" * (w is None)
        _refuse(name, "w", f"{_shown(w)}{hint}", "a list of numbers, or an object of numbers by the names of columns")
    return document


def _without_repeats(name: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise data_error(name, found=f"the key {quoted(key)} twice", expected="every key once")
        found[key] = value
    return found


def _number(text: str) -> float | str:
    """Return the number that a text writes; the text itself, refused later, if binary64 makes 0 or infinity of it."""
    nearest = float(text)
    digits = text.lower().partition("e")[0]
    if math.isinf(nearest) or (nearest == 0 and not set("123456789").isdisjoint(digits)):
        return text
    return int(text) if text.removeprefix("-").isdecimal() else nearest


def _shown(value: Any) -> str:
    """Return how a message shows a value of JSON."""
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, list | dict):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of length {len(value)}"
    return json.dumps(value)


def _refuse(name: str, key: str, found: str, expected: str) -> NoReturn:
    raise data_error(f"{name}: {key}", found=found, expected=expected)
