"""``maxmargin schema``: the JSON Schema of what commands print with ``--json``."""

import json
from importlib.resources import files
from typing import Any

import click

from maxmargin.cli.feedback import Exit


def schema(command: str | None) -> Exit:
    """Print the schema of a command, or of all commands."""
    document: dict[str, Any] = json.loads(files("maxmargin.cli.commands").joinpath("answers.schema.json").read_bytes())
    printed_by = document.pop("commands")
    if command is not None:
        if command not in printed_by:
            raise click.UsageError(f"COMMAND is {command!r}; expected one of {', '.join(printed_by)}")
        names = [*printed_by[command], "error"]
        document["title"] = f"What maxmargin {command} prints with --json"
        document["oneOf"] = [{"$ref": f"#/$defs/{name}"} for name in names]
        document["$defs"] = {name: document["$defs"][name] for name in names}
    print(json.dumps(document, indent=1))
    return Exit.OK
