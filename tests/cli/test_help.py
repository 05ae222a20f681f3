"""The help of the command line, short and full, and the completion of command lines by a shell."""

import os
from pathlib import Path

import click
import pytest
from cases import for_each
from commands import Capture, completed, printed, python, refusal

from maxmargin.cli.app import app
from maxmargin.cli.click_classes import ASKS_TO_COMPLETE, GROUPS, SECTIONS, Command, Commands

COMMANDS = sorted(app.commands)


def test_the_commands_are_listed_in_groups(capsys: Capture) -> None:
    text = printed(capsys, "-h")
    assert text == printed(capsys, "--help")
    assert isinstance(app, Commands)
    listed = [name for _, names in app.grouped() for name in names]
    assert listed[:4] == ["check", "margin", "verify", "report"]
    assert sorted(listed) == COMMANDS
    positions = [text.index(f"\n  {name} ") for name in listed]
    assert positions == sorted(positions)
    assert all(f"{title}:\n" in text for title in GROUPS)


@for_each("name", COMMANDS)
def test_the_short_help_has_an_example_and_the_exit_codes(capsys: Capture, name: str) -> None:
    short, full = printed(capsys, name, "-h"), printed(capsys, name, "--help")
    assert short.startswith(f"Usage: maxmargin {name}")
    assert f"Example: maxmargin {name}" in short
    assert "\n  Exit 0" in short
    is_short = name in ("verify", "generate", "completion", "compare", "schema")
    assert short.count("\n") <= 40 < 55 < full.count("\n") or is_short
    assert len(short) < len(full) or name in ("completion", "schema")


@for_each("name", COMMANDS)
def test_the_full_help_has_every_option_once(capsys: Capture, name: str) -> None:
    command, text = app.commands[name], printed(capsys, name, "--help")
    assert isinstance(command, Command)
    lines = text.splitlines()
    for option in command.params:
        if isinstance(option, click.Option):
            shown = [line for line in lines if line.startswith("  ") and line.split()[0].strip(",") in option.opts]
            assert len(shown) == 1, (option.opts, shown)
    titles = [line for line in lines if line in ("Data:", "Question:", "Limits:", "Output:")]
    assert titles == [title for title in ("Data:", "Question:", "Limits:", "Output:") if title in titles]
    assert set(command.most_used) <= {option.name for option in command.params}


def test_sections_name_options_that_exist() -> None:
    known = {option.name for command in app.commands.values() for option in command.params}
    assert {name for names in SECTIONS.values() for name in names} <= known


def test_the_short_help_needs_nothing_else() -> None:
    program = (
        "import sys\nfrom maxmargin.cli.app import run\n"
        "assert not any(run([*name, '-h']) for name in ([], ['margin'], ['online'], ['bounds'], ['judge']))\n"
        "assert run(['completion', 'bash']) == 0\n"
        "assert not {'numpy', 'numba', 'cvxpy', 'scipy'} & set(sys.modules)\n"
    )
    python(program)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_asks_maxmargin(capsys: Capture, shell: str) -> None:
    script = printed(capsys, "completion", shell)
    assert f"{ASKS_TO_COMPLETE}={shell}_complete" in script


def test_other_shells_are_refused(capsys: Capture) -> None:
    assert "'zsh'" in refusal(capsys, "completion", "tcsh")


@pytest.mark.parametrize(("line", "found"), [
    ("perc", ["perceptron"]), ("check --po", ["--positive"]), ("check ir", ["iris", "iris.csv"]),
    ("margin --soft 0.1 1 iris.c", ["iris.c"]), ("check --require over", ["overlap"]),
])  # fmt: skip
def test_words_are_completed(tmp_path: Path, line: str, found: list[str]) -> None:
    (tmp_path / "iris.csv").touch()
    asked = {"COMP_WORDS": f"maxmargin {line}", "COMP_CWORD": str(len(line.split()))}
    environment = {**os.environ, **asked, ASKS_TO_COMPLETE: "bash_complete"}
    done = completed(env=environment, cwd=tmp_path)
    kind = "file" if line.endswith("iris.c") else "plain"
    assert done.stdout.split() == [f"{kind},{word}" for word in found], done.stderr
