"""What the commands print with ``--json`` is what ``maxmargin schema`` says, and the page about it says the same."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commands import Capture, json_answer, printed, refusal

from maxmargin.cli.app import app, run

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scripts" / "json.md"
PATH = ROOT / "maxmargin" / "cli" / "commands" / "answers.schema.json"
SCHEMA: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))

FILES = {
    "counts.csv": "g,x,y\na,1,1\na,2,0\nb,1,1\nb,3,0\n",
    "separable.csv": "n,x,y\nb,1,0\nc,5,1\nd,3,1\ne,2,0\n", "quasi.csv": "x,y\n1,no\n2,no\n2,yes\n4,yes\n",
    "overlap.csv": "a,b,y\n0,0,0\n1,1,0\n0,1,1\n1,0,1\n", "tenths.csv": "a,b,y\n0.1,1,0\n0.3,3,0\n0.2,2,1\n1,0,1\n",
    "classes.csv": "n,x,k\nb,1,a\nc,5,b\nd,3,c\ne,2,a\ne,2,b\n", "bad.csv": "a,y\n1,0\nx,1\n",
    "missing.csv": "n,x,z,y\na,,1,0\nb,1,2,0\nc,5,3,1\nd,3,3,1\ne,2,2,0\nf,2,2,1\n",
    "near.csv": "a,b,y\n1,1,1\n2,2.0000000000000004,0\n3,3,1\n4,4,0\n", "plane.json": '{"w": [1], "b": -2.5}',
    "study.toml": 'schema = 1\nseeds = [0]\norders = ["source"]\n[[data]]\nsource = "xor"\n[[method]]\nname = "lp"\n',
}  # fmt: skip
NAMED = "separable.csv --id n"
FEW = "--n-orders 5 --n-search 5 --n-sequence 5"
COMMANDS = [
    f"check {NAMED}", "check quasi.csv", "check overlap.csv --require overlap --max-errors 1",
    f"check {NAMED} --min-margin 0.5 --max-errors 0", "check overlap.csv --exact-limit 1", "check classes.csv --id n",
    "check classes.csv --drop n --require overlap", "check classes.csv --drop n --time-limit 1e-9", "check near.csv",
    "check tenths.csv --decimal", "check missing.csv --id n --drop-missing", "check overlap.csv --time-limit 1e-9",
    "check counts.csv --family conditional --strata g", "check counts.csv --family cox --strata g --time-limit 1e-9",
    "check counts.csv --drop g --label x --family poisson",
    f"margin {NAMED}", f"margin {NAMED} --exact", "margin overlap.csv --exact", "margin iris --positive setosa",
    "margin breast_cancer --time-limit 1e-9", f"margin {NAMED} --soft 1 --class-weight 1=2",
    "margin overlap.csv --soft 1 2 --class-weight balanced",
    f"perceptron {NAMED} --trace t.csv --trace-mistakes m.csv", "perceptron overlap.csv --time-limit 1e-9",
    f"online {NAMED}", "online overlap.csv -a alma --max-epochs 2", "online --list",
    "online xor --bias-scale 1 -a all --max-epochs 2", "bounds quasi.csv", f"bounds {NAMED} --n-passes 2",
    f"orders agresti {FEW} --shifts --scales", f"orders overlap.csv {FEW}", f"sensitivity {NAMED}",
    "sensitivity overlap.csv", "fewest-errors missing.csv --id n --drop-missing", "fewest-errors overlap.csv",
    f"judge {NAMED} --plane plane.json", "judge quasi.csv --plane plane.json --time-limit 1e-9", "generate xor",
    "generate gap:4", "generate --list", "trust agresti", "report agresti", "report iris",
    "compare study.toml -o out --dry-run", "verify proof.json overlap.csv", "verify proof.json quasi.csv",
    "check bad.csv", "check", "frobnicate",
]  # fmt: skip
SLOW = ("online xor", "trust", "report", "orders agresti")


def validator(name: str) -> Any:
    return jsonschema.Draft202012Validator(SCHEMA["$defs"][name.removeprefix("maxmargin.").removesuffix("/1")])


def changed(answer: Any, document: Any, schema: Any) -> Iterator[tuple[str, Any]]:
    """Drop and rename each field of closed objects, in place; yield what was done, and the document."""
    if isinstance(answer, dict):
        branches = [schema, *schema.get("anyOf", ())]
        known = next(
            (one["properties"] for one in branches if set(one.get("properties", ())) >= set(answer) > set()), {}
        )
        for name in known.keys() & answer.keys():
            value = answer.pop(name)
            yield f"without {name}", document
            answer[f"{name}_"] = value
            yield f"{name} renamed", document
            answer[name] = answer.pop(f"{name}_")
            yield from changed(value, document, known[name])
    elif isinstance(answer, list):
        for entry in answer[:1]:
            yield from changed(entry, document, schema.get("items", {}))


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=pytest.mark.slow if line.startswith(SLOW) else ()) for line in COMMANDS]
)
def test_the_schema_is_that_of_the_answers_and_of_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    run(["check", "overlap.csv", "--proof", "proof.json", "-q"])
    _, answer = json_answer(capsys, *line.split())
    is_valid = validator(answer["schema"])
    is_valid.validate(answer)
    named = SCHEMA["commands"].get(line.split()[0], [])
    assert answer["schema"] in {f"maxmargin.{name}/1" for name in [*named, "error"]}
    n_changes = 0
    for what, document in changed(answer, answer, is_valid.schema):
        n_changes += 1
        assert not is_valid.is_valid(document), what
    assert n_changes >= 2 * len(answer)
    is_valid.validate(answer)


def page() -> str:
    """Return the page about the fields, which follows from the schema."""
    lines = [
        "# The fields of `--json`", "",
        "This page is made from the schema that `maxmargin schema` prints, which also has the fields of the objects",
        "inside. [Scripts](README.md) states what is promised about them.", "",
    ]  # fmt: skip
    for name, schema in SCHEMA["$defs"].items():
        lines += [f"## {name}", "", f"`maxmargin.{name}/1`: {schema['title'].split(' --')[0]}.", ""]
        lines += ["| field | is | means |", "|---|---|---|"]
        for field, stated in schema["properties"].items():
            is_optional = "" if field in schema["required"] else " (optional)"
            kind = json.dumps(stated.get("type") or stated.get("enum") or [stated.get("const", "any")])
            lines.append(f"| `{field}`{is_optional} | `{kind}` | {stated['description']} |")
        lines.append("")
    return "\n".join(lines)


def test_the_page_lists_the_fields_of_the_schema() -> None:
    """With MAXMARGIN_WRITE=1 the page is written."""
    if os.environ.get("MAXMARGIN_WRITE"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_a_schema_is_printed_for_every_command_with_json(capsys: Capture) -> None:
    assert {name for name, one in app.commands.items() if "as_json" in {p.name for p in one.params}} == {
        *SCHEMA["commands"]
    }
    for command in (None, *SCHEMA["commands"]):
        document = json.loads(printed(capsys, "schema", *([command] if command else [])))
        jsonschema.Draft202012Validator.check_schema(document)
        is_valid = jsonschema.Draft202012Validator(document).is_valid
        error = dict.fromkeys(("file", "line", "column"), None)
        error |= {"schema": "maxmargin.error/1", "version": "0", "message": ""}
        assert is_valid(error) and not is_valid({**error, "line": "1"})
    assert "expected one of check" in refusal(capsys, "schema", "cheque")
