"""Studies, read from a TOML file or a dict; errors name the line of the file."""

import glob
import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NoReturn

from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.methods.every_method import method_of
from maxmargin.comparison.methods.method import Method
from maxmargin.data.features import named_features
from maxmargin.data.preparing import How
from maxmargin.data.sources.opening import STDIN
from maxmargin.solvers.basics.limits import memory_size
from maxmargin.solvers.errors import WordedError
from maxmargin.text.data_error import DataError, nearest, quoted
from maxmargin.text.regular_files import read_regular_file

# The number of the form of a study.
SCHEMA = 1

# Orders of the rows: as in the source, random by the seed, backwards, and all of one class before the other.
ORDERS = ("source", "random", "reversed", "sorted")

DEFAULT_SECONDS, DEFAULT_MEMORY, DEFAULT_TOLERANCE = 60.0, "2GiB", 1e-3

_COLUMN, _COLUMNS = "a column, by its name or position", "columns, by their names or positions"
_TEXTS = "a text or several"

# Arguments of `maxmargin.load` that a table [[data]] may give, with their types.
_READING = {
    "label": _COLUMN, "drop": _COLUMNS, "id": _COLUMN, "one_hot": _COLUMNS, "drop_missing": "true or false",
    "sep": "a text", "decimal_comma": "true or false", "header": "true or false", "missing": _TEXTS,
    "format": "a text",
}  # fmt: skip

# Largest seed that all libraries take.
_MOST_SEED = (1 << 32) - 1

_TOP = ("schema", "title", "seeds", "orders", "prepare", "folds", "tolerance", "limit", "plugins", "data", "method")
_DATA = ("source", "positive", "features", *_READING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One data set of a study, before it is read.

    Attributes
    ----------
    name : str
        Its name in the study.
    path : str
        What `maxmargin.load` is given.
    reading : mapping
        The other arguments of `maxmargin.load`.
    positive : object
        The class that is +1, where it exists; None: every class against the rest, if there are more than two.
    features : str, optional
        New features made of the columns, such as "polynomial:2".
    """

    name: str
    path: str
    reading: Mapping[str, Any]
    positive: Any = None
    features: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A method with its parameters."""

    method: Method
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Methods, data and orders that are compared; lists are grids.

    Attributes
    ----------
    title : str
    sources : tuple of Source
    settings : tuple of Setting
    seeds, orders, prepare : tuple
    folds : int
        Number of folds of a cross-validation; 0 trains on all rows.
    tolerance : float
        Relative distance from the proven optimum up to which a claim to have reached it is true.
    limit : Limit
    plugins : tuple of str
        Python files of further methods.
    """

    title: str
    sources: tuple[Source, ...]
    settings: tuple[Setting, ...]
    seeds: tuple[int, ...] = (0,)
    orders: tuple[str, ...] = ("source",)
    prepare: tuple[str, ...] = ("raw",)
    folds: int = 0
    tolerance: float = DEFAULT_TOLERANCE
    limit: Limit
    plugins: tuple[str, ...] = ()

    @classmethod
    def of(cls, study: "str | os.PathLike[str] | Mapping[str, Any] | Study") -> "Study":
        """Return the study of a TOML file or of a mapping with the same keys.

        Raises
        ------
        DataError
            If it is not a study; the message names the line, the value found and the value expected.
        OSError
            If the file cannot be read.
        """
        if isinstance(study, Study):
            return study
        if isinstance(study, Mapping):
            return _Reader(name="study", lines=(), folder=Path()).study(study)
        path = Path(study)
        read = read_regular_file(path)
        try:
            text = read.decode("utf-8-sig")
            content = tomllib.loads(text)
        except RecursionError as error:
            raise DataError(f"{path}: found lists that are nested too deeply") from error
        except ValueError as error:
            raise DataError(f"{path}: found no TOML: {error}") from error
        return _Reader(name=str(path), lines=tuple(text.splitlines()), folder=path.parent).study(content)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that all cells share, as the report states them."""
        lists = {name: list(getattr(self, name)) for name in ("seeds", "orders", "prepare")}
        return {**lists, "folds": self.folds, "tolerance": self.tolerance, "limit": self.limit.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """Reads a study; knows the lines of its file, if it has one."""

    name: str
    lines: Sequence[str]
    folder: Path

    def study(self, content: Mapping[str, Any]) -> Study:
        self._check_keys(content, _TOP, table="", number=0)
        if content.get("schema") != SCHEMA or isinstance(content["schema"], bool | float):
            self._refuse("schema", f"schema {content.get('schema')!r}", f"schema = {SCHEMA}")
        plugins = tuple(map(self._near, self._texts(content, "plugins") if "plugins" in content else ()))
        folds, of_folds = content.get("folds", 0), "0, or a number of folds from 2"
        seeds, of_seeds = content.get("seeds", 0), f"whole numbers from 0 to {_MOST_SEED}"
        tolerance, of_tolerance = content.get("tolerance", DEFAULT_TOLERANCE), "a number below 1, above 0"
        return Study(
            title=self._checked("title", content.get("title", Path(self.name).stem), _is_text, "a text"),
            sources=tuple(self._sources(content)),
            settings=tuple(self._settings(content, plugins)),
            seeds=self._different("seeds", seeds, lambda seed: _is_whole(seed) and 0 <= seed <= _MOST_SEED, of_seeds),
            orders=self._words(content, "orders", ORDERS),
            prepare=self._words(content, "prepare", tuple(map(str, How))),
            folds=self._checked("folds", folds, lambda n: _is_whole(n) and (n == 0 or n > 1), of_folds),
            tolerance=float(self._checked("tolerance", tolerance, lambda t: _is_positive(t) and t < 1, of_tolerance)),
            limit=self._limit(content),
            plugins=plugins,
        )

    def _sources(self, content: Mapping[str, Any]) -> Iterator[Source]:
        names: set[str] = set()
        for number, table in enumerate(self._tables(content, "data")):
            self._check_keys(table, _DATA, table="data", number=number)
            reading = {key: self._argument(table, key, number) for key in _READING if key in table}
            if "positive" in table and not isinstance(table["positive"], str | int | float):
                self._refuse("positive", quoted(table["positive"]), "a class", "data", number)
            features = self._features(table, number)
            for wanted in self._texts(table, "source", "data", number):
                for path in self._found(wanted, number):
                    name = wanted if path == self._near(wanted) else os.path.relpath(path, self.folder)
                    name += f" ({features})" if features else ""
                    if name in names:
                        self._refuse("source", f"{quoted(name)} twice", "every data set once", "data", number)
                    names.add(name)
                    positive = table.get("positive")
                    yield Source(name=name, path=path, reading=reading, positive=positive, features=features)

    def _argument(self, table: Mapping[str, Any], key: str, number: int) -> Any:
        """Return an argument of `maxmargin.load`; several columns as a tuple."""
        value, kind = table[key], _READING[key]
        if kind in (_COLUMNS, _TEXTS) and isinstance(value, list | tuple) and all(map(_is_column, value)):
            return tuple(value)
        types = {"true or false": bool, "a text": str, _TEXTS: str}
        if not (isinstance(value, types[kind]) if kind in types else _is_column(value)):
            self._refuse(key, quoted(value), kind, "data", number)
        return value

    def _features(self, table: Mapping[str, Any], number: int) -> str | None:
        name = table.get("features")
        if name is None:
            return None
        try:
            named_features([[1.0, 1.0]], str(name))
        except WordedError as error:
            self._refuse("features", str(error), "", "data", number)
        return str(name)

    def _found(self, wanted: str, number: int) -> list[str]:
        """Return the paths that a pattern stands for, or the one source."""
        if wanted == STDIN:
            self._refuse("source", "the standard input", "a file, which can be read again", "data", number)
        near = self._near(wanted)
        if not any(mark in wanted for mark in "*?") or os.path.exists(near):
            return [near]
        found = sorted(glob.glob(os.path.join(glob.escape(str(self.folder.resolve())), wanted), recursive=True))
        if not found:
            self._refuse("source", f"no file of {quoted(wanted)}", "a pattern of files that exist", "data", number)
        return found

    def _near(self, path: str) -> str:
        """Return the path of a file beside the study; the path as written if there is no such file."""
        beside = self.folder / path
        return str(beside.resolve()) if beside.exists() else path

    def _settings(self, content: Mapping[str, Any], plugins: tuple[str, ...]) -> Iterator[Setting]:
        seen: set[str] = set()
        expected = "numbers, texts, true, false, or tables of them"
        for number, table in enumerate(self._tables(content, "method")):
            given = [(key, value) for key, value in table.items() if key != "name"]
            grid = {key: self._all(key, value, _is_parameter, expected, "method", number) for key, value in given}
            for name in self._texts(table, "name", "method", number):
                method = self._method(name, plugins, grid, number)
                for values in product(*grid.values()):
                    params = dict(zip(grid, values, strict=True))
                    mark = json.dumps([method.name, params], sort_keys=True, default=str)
                    if mark in seen:
                        text = f"{quoted(method.name)} twice with the same parameters"
                        self._refuse("name", text, "every setting once", "method", number)
                    seen.add(mark)
                    yield Setting(method=method, params=params)

    def _method(self, name: str, plugins: tuple[str, ...], grid: Mapping[str, Any], number: int) -> Method:
        try:
            method = method_of(name, plugins)
        except WordedError as error:
            self._refuse("name", str(error), "", "method", number)
        for key in grid:
            try:
                method.check(key)
            except WordedError as error:
                self._refuse(key, str(error), "", "method", number)
        return method

    def _limit(self, content: Mapping[str, Any]) -> Limit:
        expected = "a table {seconds = ..., memory = ...}"
        table = self._checked("limit", content.get("limit", {}), lambda value: isinstance(value, Mapping), expected)
        self._check_keys(table, ("seconds", "memory"), table="limit", number=0)
        given, seconds = table.get("memory", DEFAULT_MEMORY), table.get("seconds", DEFAULT_SECONDS)
        seconds = float(self._checked("seconds", seconds, _is_positive, "a positive number", "limit"))
        try:
            memory = memory_size(given)
        except WordedError as error:
            self._refuse("memory", str(error), "", "limit")
        except OverflowError:
            memory = sys.maxsize
        if memory >= sys.maxsize:
            self._refuse("memory", quoted(given), "a size of memory", "limit")
        return Limit(seconds=seconds, memory=memory)

    def _tables(self, content: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
        tables = content.get(key)
        if not isinstance(tables, list) or not tables or not all(isinstance(table, Mapping) for table in tables):
            self._refuse(key, "nothing" if tables is None else quoted(tables), f"tables [[{key}]]")
        return tables

    def _texts(self, table: Mapping[str, Any], key: str, *where: Any) -> tuple[str, ...]:
        """Return one text or several as a tuple."""
        return self._different(key, table.get(key, []), _is_text, "one text or a list of them", *where)

    def _words(self, content: Mapping[str, Any], key: str, choices: tuple[str, ...]) -> tuple[str, ...]:
        """Return some of these words, by default the first."""
        return self._different(key, content.get(key, choices[0]), choices.__contains__, f"one of {', '.join(choices)}")

    def _different(
        self, key: str, value: Any, is_right: Callable[[Any], bool], expected: str, *where: Any
    ) -> tuple[Any, ...]:
        """Return one value or several different ones as a tuple."""
        values = self._all(key, value, is_right, expected, *where)
        if len(set(values)) < len(values):
            self._refuse(key, "a value twice", "every value once", *where)
        return tuple(values)

    def _all(self, key: str, value: Any, is_right: Callable[[Any], bool], expected: str, *where: Any) -> list[Any]:
        """Return one value or several as a list, each of which is checked."""
        values = value if isinstance(value, list) else [value]
        if not values:
            self._refuse(key, "nothing", expected, *where)
        return [self._checked(key, one, is_right, expected, *where) for one in values]

    def _checked(self, key: str, value: Any, is_right: Callable[[Any], bool], expected: str, *where: Any) -> Any:
        if not is_right(value):
            self._refuse(key, quoted(value), expected, *where)
        return value

    def _check_keys(self, content: Any, known: tuple[str, ...], *, table: str, number: int) -> None:
        for key in content:
            if key not in known:
                key = str(key)
                expected = f"one of {', '.join(known)}"
                hint = nearest(key, known)
                self._refuse(key, f"the key {quoted(key)}", f"{expected} ({hint})" if hint else expected, table, number)

    def _refuse(self, key: str, found: str, expected: str, table: str = "", number: int = 0) -> NoReturn:
        line = _line_of(self.lines, key, table, number)
        where = f"line {line}, " if line else ""
        wanted = f"found {found}, expected {expected}" if expected else found
        raise DataError(f"{self.name}: {where}{key!r}: {wanted}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= sys.float_info.max


def _is_column(value: Any) -> bool:
    return isinstance(value, str) or _is_whole(value)


def _is_parameter(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str | int) and _is_parameter(entry) for key, entry in value.items())
    return value is None or (isinstance(value, str | int | float) and value == value)  # not NaN


def _line_of(lines: Sequence[str], key: str, table: str, number: int) -> int | None:
    """Return the line, from 1, of a key in the table [[table]] of this number; of the table if the key is not there."""
    header = re.compile(rf"\s*\[{{1,2}}\s*{re.escape(table)}\s*\]")
    starts = [i for i, line in enumerate(lines) if table and header.match(line)]
    first = starts[number] if number < len(starts) else 0
    assigned = re.compile(
        rf"""\s*["']?{re.escape(key)}["']?\s*=|.*[{{,]\s*{re.escape(key)}\s*=|\s*\[+\s*{re.escape(key)}\s*\]"""
    )
    for i in range(first, len(lines)):
        if i > first and starts and lines[i].lstrip().startswith("["):
            break
        if assigned.match(lines[i]):
            return i + 1
    return first + 1 if starts else None
