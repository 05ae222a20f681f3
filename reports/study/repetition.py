"""The command, or the call in Python, that makes a report again."""

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from maxmargin.data.dataset import Dataset
from maxmargin.reports.study.report_settings import ReportSettings

# Options of the command that are not named as the parameters are.
_OPTIONS = {"Cs": "soft", "one_hot_columns": "one-hot-column"}

# Parameters of the functions that are not named as the settings are.
_PARAMETERS = {"seed": "rng"}

_OUTPUT = "report.html"


def repetition(dataset: Dataset, settings: ReportSettings) -> str:
    """Return the command, to be given in the folder of the source; for data that no file holds, the call in Python."""
    reading = dict(dataset.read_as or {})
    source, settled = reading.pop("source", None), dict(_settled(dataset, settings))
    if any(re.match(r"no header: |line \d+ names the columns", note) for note in dataset.notes):
        # It was told without an option, and is so again.
        reading.pop("header", None)
    if not dataset.is_in_memory and hasattr(dataset.X, "budget"):
        reading["memory"] = dataset.X.budget.memory
    if dataset.positive_reason == "as chosen":
        reading["positive"] = dataset.positive
    if source is None or source == "-":
        return _call(reading, settled, is_stdin=source == "-")
    name = PurePath(source).name
    words = ["maxmargin", "report", f"./{name}" if name.startswith("-") else name]
    for option, value in {**reading, **settled}.items():
        words += _words(_OPTIONS.get(option, option.replace("_", "-")), value)
    return " ".join(map(_quoted, [*words, "-o", _OUTPUT]))


def _quoted(word: str) -> str:
    """Return a word as a shell reads it; characters that act on a terminal are written by their numbers."""
    if word.isprintable():
        return shlex.quote(word)
    written = (c if c.isprintable() and c not in "\\'" else f"\\U{ord(c):08x}" for c in word)
    return f"$'{''.join(written)}'"


def _settled(dataset: Dataset, settings: ReportSettings) -> Iterator[tuple[str, Any]]:
    """Yield the settings that are not the default."""
    default = ReportSettings()
    for name in ReportSettings.options():
        value = getattr(settings, name)
        is_of_formula = name == "bias" and dataset.has_intercept is not None
        if value != getattr(default, name) and not is_of_formula:
            yield name, list(value) if isinstance(value, tuple) else value


def _words(option: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{option}" if value else f"--no-{option}"]
    if option == "soft":
        return ["--soft", *map(repr, value)]
    if option == "label" and value == -1:
        return []  # the last, as without the option
    values = value if isinstance(value, list) else [value]
    return [
        word
        for text in map(str, values)
        for word in ([f"--{option}={text}"] if text.startswith("-") else [f"--{option}", text])
    ]


def _call(reading: Mapping[str, Any], settled: Mapping[str, Any], *, is_stdin: bool) -> str:
    """Return the call for arrays, for a data frame with the name of its labels or a formula, or for a read stream."""
    given, data = {name: reading[name] for name in ("positive",) if name in reading and not is_stdin}, "X, y"
    if is_stdin:
        data = f"mm.load({', '.join([repr('-'), *_arguments(reading)])})"
    elif "formula" in reading or "label" in reading:
        data = f"df, {reading.get('formula', reading.get('label'))!r}"
    return f"mm.margin_report({', '.join([data, *_arguments({**given, **settled})])}).save({_OUTPUT!r})"


def _arguments(values: Mapping[str, Any]) -> list[str]:
    return [f"{_PARAMETERS.get(name, name)}={value!r}" for name, value in values.items()]
