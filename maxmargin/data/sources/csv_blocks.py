"""Whole blocks of delimited text of which all features are numbers, parsed at once, by Arrow or by NumPy."""

import io
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from maxmargin.data.column_roles import Roles
from maxmargin.data.labels import CodedLabels
from maxmargin.solvers.basics.array_types import Floats


class ParsedBlock(NamedTuple):
    """The features of the rows of a block, and their labels and names as they are written."""

    values: Floats
    labels: CodedLabels
    ids: list[str] | None


def parsed_by_arrow(text: str, separator: str, n_columns: int, roles: Roles) -> ParsedBlock | None:
    """Return the rows as Arrow parses them, in threads; None if it does not."""
    from pyarrow import ArrowException, csv, float64, string

    names = [str(j) for j in range(n_columns)]
    texts = {j for j in (roles.label, roles.id) if j is not None}
    kept = sorted({*roles.features, *texts})
    try:
        table = csv.read_csv(
            io.BytesIO(text.encode()),
            csv.ReadOptions(column_names=names),
            csv.ParseOptions(delimiter=separator, quote_char=False),
            csv.ConvertOptions(
                column_types={names[j]: string() if j in texts else float64() for j in kept},
                include_columns=[names[j] for j in kept], null_values=[], strings_can_be_null=False,
            ),
        )  # fmt: skip
    except ArrowException:
        return None
    columns = dict(zip(kept, table.columns, strict=True))
    values = np.empty((table.num_rows, len(roles.features)))
    for k, j in enumerate(roles.features):
        values[:, k] = columns[j].to_numpy()
    coded = columns[roles.label].combine_chunks().dictionary_encode()
    labels = CodedLabels(coded.dictionary.to_pylist(), coded.indices.to_numpy())
    return ParsedBlock(values, labels, None if roles.id is None else columns[roles.id].to_pylist())


def parsed_by_numpy(text: str, separator: str, n_columns: int, roles: Roles) -> ParsedBlock | None:
    """Return the rows as NumPy parses them; None if it does not."""
    found: dict[int, list[str]] = {j: [] for j in (roles.label, roles.id) if j is not None}

    def keep(column: int, field: str) -> float:
        found[column].append(field)
        return 0.0

    converters: dict[int | str, Any] = {j: lambda _: 0.0 for j in roles.dropped}
    converters |= {j: partial(keep, j) for j in found}
    try:
        rows: Floats = np.loadtxt(io.StringIO(text), delimiter=separator, comments=None, converters=converters, ndmin=2)
    except ValueError:
        return None
    if rows.shape[1] != n_columns:
        return None
    labels = CodedLabels.of(found[roles.label])
    return ParsedBlock(np.take(rows, roles.features, axis=1), labels, None if roles.id is None else found[roles.id])
