"""The options of the commands that read data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """The options that say which data a command is about, how they are read, and how its answer is printed.

    The fields have the names of the options in `maxmargin.cli.options`; a command that lacks an option leaves its
    default.
    """

    source: str
    label: str | None
    formula: str | None
    positive: str | None
    drop: tuple[str, ...]
    id: str | None
    one_hot: bool
    one_hot_column: tuple[str, ...]
    drop_missing: bool
    sep: str | None
    decimal_comma: bool
    header: bool | None
    missing: tuple[str, ...]
    format: str | None
    memory: str
    no_bias: bool
    as_json: bool
    quiet: bool
    prepare: str = "raw"
    sources: tuple[str, ...] = ()  # of a command that takes several, one of which is `source`
