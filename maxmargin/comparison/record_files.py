"""The records as files for programs: CSV and Parquet, with the same columns for every comparison."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from maxmargin.comparison.cells import FIELDS
from maxmargin.comparison.comparison import with_words
from maxmargin.text.outputs import replacing
from maxmargin.text.tables import write_table

Record = Mapping[str, Any]

# Written as JSON.
_NESTED = ("params", "features", "w", "bounds", "objective_of")

_WHOLE = ("n_samples", "n_features", "seed", "fold", "exit_code", "n_errors", "n_mistakes", "n_updates", "jobs")
_REAL = (
    *("gamma_lower", "gamma_upper", "b", "margin", "share", "objective", "objective_lower", "objective_upper"),
    *("suboptimality", "held_out_errors", "seconds", "times_ours", "passes", "peak_mib", "radius"),
)
# The types of the fields, as Arrow calls them, that are no texts.
_TYPES = (
    dict.fromkeys(_WHOLE, "int64") | dict.fromkeys(_REAL, "double") | dict.fromkeys(("claim_true", "capped"), "bool")
)


def write_csv(records: Sequence[Record], path: Path) -> None:
    """Write one line for each record: numbers that read back as they are, nested fields as JSON, no text for None."""
    write_table(path, FIELDS, ([_cell(name, record[name]) for name in FIELDS] for record in records))


def write_parquet(records: Sequence[Record], path: Path) -> None:
    """Write the same columns with types: whole numbers, real numbers, truth values and texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {name: pa.type_for_alias(_TYPES.get(name, "string")) for name in FIELDS}
    arrays = [pa.array([_typed(name, record[name]) for record in records], kind) for name, kind in types.items()]
    with replacing(path) as file:
        pq.write_table(pa.table(arrays, names=list(FIELDS)), file)


def _cell(name: str, value: object) -> str:
    if value is None:
        return ""
    if name in _NESTED or isinstance(value, dict | list | tuple):
        return json.dumps(with_words(value), sort_keys=True, ensure_ascii=False, default=str)
    return repr(value) if isinstance(value, float) else str(value)


def _typed(name: str, value: object) -> object:
    return value if value is None or name in _TYPES else _cell(name, value)
