"""The records of a study, with its failures and false claims."""

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maxmargin.comparison.cells import FIELDS
from maxmargin.solvers.answers.answer_text import Result, counted, plain

Record = Mapping[str, Any]

# For every question our method, whose time is the unit of `times_ours`.
OURS = {
    "separation": "lp",
    "logistic": "lp",
    "hard margin": "hard-margin",
    "soft margin": "soft-margin",
    "online": "perceptron",
}

# Fields that a table holds as JSON.
_NESTED = ("params", "w", "bounds")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Comparison(Result):
    """Methods, data and orders side by side: one record for every cell of a study that was run.

    Attributes
    ----------
    title : str
        The title of the study.
    records : tuple of dict
        One for every cell that has been run, in the order of the study; `maxmargin.compare` describes the fields.
    data : tuple of dict
        What is proven of the rows that methods saw: `data`, `data_sha256`, `prepare`, `features`, `fold`, `n_samples`,
        `n_features`, `radius`, `verdict`, `gamma_lower`, `gamma_upper`, and the `seconds` of the proof.
    settings : dict
        What all cells share: `seeds`, `orders`, `prepare`, `folds`, `tolerance`, `limit`, `jobs`, and
        `questions`, the question that each method answers.
    environment : dict
        The machine, and the versions of the packages.
    n_not_run : int
        Number of cells that have no record yet.

    See Also
    --------
    maxmargin.compare : Run a study.

    Examples
    --------
    >>> import maxmargin as mm
    >>> mm.compare({"schema": 1, "data": [{"source": "xor"}], "method": [{"name": "lp"}]})
    <Comparison 1 record, 0 failures, 0 false claims>
    """

    title: str
    records: tuple[dict[str, Any], ...]
    data: tuple[dict[str, Any], ...]
    settings: dict[str, Any]
    environment: dict[str, Any]
    n_not_run: int = 0

    @property
    def failures(self) -> tuple[dict[str, Any], ...]:
        """The records whose status is not "ok"."""
        return tuple(record for record in self.records if record["status"] != "ok")

    @property
    def false_claims(self) -> tuple[dict[str, Any], ...]:
        """The records whose claim is proven to be false."""
        return tuple(record for record in self.records if record["claim_true"] is False)

    def to_frame(self) -> Any:
        """Return the records as a data frame of pandas, else of Polars, else as an Arrow table.

        Lists and dicts are JSON in it.
        """
        columns = {field: [_flat(field, record[field]) for record in self.records] for field in FIELDS}
        for library in ("pandas", "polars"):
            try:
                frame: Any = __import__(library)
            except ImportError:
                continue
            return frame.DataFrame(columns)
        import pyarrow as pa

        return pa.table(columns)

    @property
    def headline(self) -> str:
        """The comparison on one line."""
        parts = [counted(len(self.records), "record")]
        parts += [f"{counted(len(self.failures), 'failure')}, {counted(len(self.false_claims), 'false claim')}"]
        parts += [f"{counted(self.n_not_run, 'cell')} not run"] if self.n_not_run else []
        return ", ".join(parts)

    def summary(self) -> str:
        """Return how the cells ended, by status, and the claims that are false, by method."""
        lines = [self.headline]
        endings = Counter(record["status"] for record in self.records)
        lines += [f"  {status}: {number:,}" for status, number in sorted(endings.items())]
        false = Counter((record["method"], record["claim"]) for record in self.false_claims)
        lines += [f"  false: {method} claims {claim!r}, {number:,} times" for (method, claim), number in false.items()]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in Python's own types, which JSON holds."""
        records = [record | {"params": with_words(record["params"])} for record in self.records]
        return {
            **plain(self._attributes("title", "settings", "environment", "n_not_run", "data")),
            "records": plain(records),
        }

    def _card_fields(self) -> dict[str, Any]:
        return {
            "runs": len(self.records),
            "failed": len(self.failures),
            "false claims": len(self.false_claims),
            "not run yet": self.n_not_run,
            "data sets": len(self.data),
            "methods": len({record["method"] for record in self.records}),
        }

    def _table_fields(self) -> dict[str, Any]:
        endings = Counter(record["status"] for record in self.records)
        return {"title": self.title, "n_not_run": self.n_not_run, **endings, "false claims": len(self.false_claims)}


def _flat(field: str, value: Any) -> Any:
    return json.dumps(with_words(value), sort_keys=True) if field in _NESTED and value is not None else value


def with_words(value: Any) -> Any:
    """Return a value with infinity, which JSON lacks, as the text that TOML has for it.

    Examples
    --------
    >>> with_words({"C": float("inf"), "tol": 0.5})
    {'C': 'inf', 'tol': 0.5}
    """
    if isinstance(value, Mapping):
        return {key: with_words(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [with_words(entry) for entry in value]
    return str(value) if isinstance(value, float) and math.isinf(value) else value
