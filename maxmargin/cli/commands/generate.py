"""``maxmargin generate``: data sets with known answers, and the list of their families."""

import csv
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from maxmargin.cli.feedback import Exit
from maxmargin.cli.output_files import check_outputs
from maxmargin.cli.request import print_json, print_text, schema_fields
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.outputs import replacing_text, write_text
from maxmargin.text.progress import note

if TYPE_CHECKING:
    from maxmargin.data.generators import Generated

_SUFFIX = ".csv"
_LABEL = "y"

# What is known of data, with a bias and through the origin.
_ANSWERS = ("verdict", "margin_squared", "touching_rows")


def families(*, as_json: bool) -> Exit:
    """List the families with their parameters and defaults."""
    from maxmargin.data.generators import families as all_families

    every = all_families()
    if as_json:
        print_json("families", {"families": [{"usage": f.usage, "description": f.description} for f in every]})
        return Exit.OK
    for family in every:
        print_text(f"{family.usage}\n    {family.description}")
    print_text("\nParameters follow in this order, or as name=value: gap:1000, gap:1000:3, planted-quasi:100:5:seed=3")
    print_text(
        "Any formula is one more: 'formula:(x1 | x4) & ~x3' is its truth table over {-1,1}^4, with :bits over {0,1}^4"
    )
    return Exit.OK


def generate(name: str, *, output: Path | None, force: bool, seed: int | None, as_json: bool, quiet: bool) -> Exit:
    """Write the data and the truth about them, or print the data."""
    from maxmargin.data.generators import generate as make

    sidecar = None if output is None else _checked_sidecar(output, force=force)
    data = make(name, seed=seed)
    if output is not None and sidecar is not None:
        with replacing_text(output) as file:
            _write(data, file)
        write_text(sidecar, json.dumps(schema_fields("truth", truth_fields(data)), indent=2) + "\n")
        note(f"wrote {output} and {sidecar}", quiet=quiet)
    if as_json:
        print_json("truth", truth_fields(data))
    elif output is None:
        _write(data, sys.stdout)
    else:
        print_text(f"{printable(data.full_name)}: {data.X.shape[0]} x {data.X.shape[1]}, {data.truth.verdict}")
    return Exit.OK


def truth_fields(data: "Generated") -> dict[str, Any]:
    """Return the verdict, the margin and their reason as JSON fields; rows are numbered from 0."""
    truth = data.truth
    return {
        "family": data.full_name.partition(":")[0],
        "name": data.full_name,
        "description": data.description,
        "data": {
            "sha256": data.sha256,
            "n_samples": data.X.shape[0],
            "n_features": data.X.shape[1],
            "label": _LABEL,
            "classes": sorted(set(data.y.tolist())),
            "reading": "binary64",
        },
        **{
            name: _plain(getattr(truth, name)) for name in (*_ANSWERS, *(f"{name}_through_origin" for name in _ANSWERS))
        },
        "why": truth.why,
    }


def _plain(value: Any) -> Any:
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else value


def _checked_sidecar(output: Path, *, force: bool) -> Path:
    """Return where the truth goes; raise unless both files can be written."""
    if output.suffix != _SUFFIX:
        raise InvalidOptionError(f"{output}: unknown suffix {output.suffix!r}; expected {_SUFFIX}")
    sidecar = output.with_suffix(".truth.json")
    check_outputs([output, sidecar], [], force=force, rewritten=[".json"])
    return sidecar


def _write(data: "Generated", file: TextIO) -> None:
    """Write CSV; the numbers read back as they are."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*data.feature_names, _LABEL])
    for row, label in zip(data.X.tolist(), data.y.tolist(), strict=True):
        writer.writerow([*map(repr, row), label])
