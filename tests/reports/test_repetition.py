"""The command that a page gives makes the same page again, in the folder of the source."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import maxmargin as mm
from maxmargin.cli.app import run

TABLE = "name,age,-1,stage,died\na,3,5,I,-no\nb,4,1,II,-no\nc,1,2,I,yes\nd,2,7,II,yes\ne,7,3,IV,-no\nf,4,4,I,yes\n"
OPTIONS = [
    "--label died --id name --one-hot",
    "--label died --id name --drop stage --header",
    "--label died --drop name --drop stage --soft 1 10 --no-bias --bias-scale 2 --zero positive --max-epochs 9",
    "--label died --drop name --one-hot-column stage --positive=-no --prepare center --title 'A title' --date Monday",
    "--label stage --drop name --drop died --orders 0",
    "--label died --drop name --drop stage --memory 1MiB",
    "--formula 'died ~ stage' --seed 3 --orders 7 --time-limit 100 --note 'It is \"odd\".' --order shuffled-once",
]


def command_of(page: Path) -> str:
    data = re.search(r'id="page-data">(.*?)</script>', page.read_text("utf-8"), re.DOTALL)
    assert data is not None
    return str(json.loads(data[1])["copies"]["command"])


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS)
def test_the_command_makes_the_same_page(options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, first = tmp_path / "-my data.csv", tmp_path / "first.html"
    header, _, rows = TABLE.partition("\n")
    source.write_text(TABLE if "--memory" not in options else f"{header}\n{1000 * rows}", encoding="utf-8")
    assert run(["report", str(source), *shlex.split(options), "-q", "-o", str(first)]) == 0
    assert ("line 1 names the columns" in first.read_text("utf-8")) is ("--header" not in options)  # it has a number
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(command_of(first))
    assert program == "maxmargin" and str(tmp_path) not in str(words) and run([*words, "-q"]) == 0
    assert (tmp_path / "report.html").read_bytes() == first.read_bytes()


@pytest.mark.slow
def test_data_of_no_file_are_repeated_by_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    df = pd.DataFrame({"age": [3, 4, 1, 2], "died": [0, 1, 1, 0]})
    X, y = df[["age"]].to_numpy(), df["died"].to_numpy()
    options: dict[str, Any] = {"positive": 0, "Cs": [1.0, 2.0], "rng": 3, "bias_scale": 2.0, "orders": 5}
    monkeypatch.chdir(tmp_path)
    for data in ((X, y), (df, "died"), (df, "died ~ age")):
        report = mm.margin_report(*data, **options)
        call = report.to_dict()["command"]
        assert call.startswith("mm.margin_report(X, y, " if data[0] is X else f"mm.margin_report(df, {data[1]!r}, ")
        exec(call, {"mm": mm, "df": df, "X": X, "y": y})  # it is what a reader pastes
        assert Path("report.html").read_text("utf-8") == report.to_html()
