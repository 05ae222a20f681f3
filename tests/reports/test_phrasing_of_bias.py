"""What is said of hyperplanes through the origin, and of models without an intercept, is not said of all others."""

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import maxmargin as mm
from maxmargin.cli.app import run

# Words that claim something of all hyperplanes of a kind, or of a model.
CLAIMS = re.compile(
    r"(every|no|any) hyperplane|\bhulls?\b|maximum-likelihood estimate|regression|margin[^.]* is (exactly )?0\b|"
    r"\b(overlaps?|quasi-separable|(not|linearly|is|are) (strictly )?separable)\b"
)
# A verdict alone in a cell, under a title that says of which hyperplanes.
VERDICT_IN_A_TABLE = re.compile(r"^\W*(\S+ \| rest|\S+ \| \S+|Verdict|All at once) \| \S+ \||^\W*[\w-]+\W*$")
ORIGIN = re.compile(r"through the origin|the y x|rows y x|without an intercept|without intercepts")

TWO = "x,y\n10,no\n12,yes\n"  # separable at 11, overlapping through the origin
QUASI = "x,z,y\n0,0,no\n10,1,no\n12,1,yes\n"  # quasi-separable through the origin, on which its first row lies
THREE = "x,y\n10,a\n12,b\n14,c\n11,b\n"


def sentences(text: str) -> list[str]:
    joined = re.sub(r"\s*\n(?=\s*[a-z(‖])", " ", text)  # wrapped lines
    return [part for line in joined.splitlines() for part in re.split(r"(?<=[.;])\s+", line) if CLAIMS.search(part)]


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, bool], dict[str, str]]:
    """Every surface of every data set, by name."""
    found: dict[tuple[str, bool], dict[str, str]] = {}
    folder = tmp_path_factory.mktemp("bias")
    for name, content in (("two", TWO), ("quasi", QUASI), ("three", THREE)):
        source = folder / f"{name}.csv"
        source.write_text(content, encoding="utf-8")
        for bias in (True, False):
            found[name, bias] = surfaces(source, bias)
    return found


def surfaces(source: Path, bias: bool) -> dict[str, str]:
    def said(*arguments: str) -> str:
        with redirect_stdout(io.StringIO()) as out:
            assert run([*arguments, *(() if bias else ("--no-bias",)), "-q"]) in (0, 3)
        return out.getvalue()

    commands = ("check",) if source.stem == "three" else ("check", "margin", "fewest-errors", "online")
    texts = {name: said(name, str(source)) for name in commands}
    texts |= {f"{name} --json": reasons(said(name, str(source), "--json")) for name in commands}
    report = mm.margin_report(mm.load(str(source)), bias=bias, max_mistakes=500)
    folder = source.parent
    texts["markdown"] = report.to_markdown()
    texts["html"] = re.sub(
        r"<style.*?</style>|<script.*?</script>|<svg.*?</svg>|<[^>]+>", "\n| ", report.to_html(), flags=re.DOTALL
    )
    texts["report json"] = reasons(report.to_json())
    texts["terminal"] = said("report", str(source), "-o", str(folder / "r.json"), "--max-mistakes", "500")
    return texts


def reasons(text: str) -> str:
    """The sentences of a JSON object."""
    found: list[str] = []

    def walk(value: object, key: str = "") -> None:
        if isinstance(value, dict):
            for name, entry in value.items():
                walk(entry, name)
        elif isinstance(value, list):
            for entry in value:
                walk(entry, key)
        elif isinstance(value, str) and key in {"reason", "advice", "unknown", "columns_reason"}:
            found.append(value)

    walk(json.loads(text))
    return "\n".join(found)


SETTLED = (
    "For a logistic regression",  # a title
    "hull of the y x",
    "Albert and Anderson",
    "strictly separable with",  # assumptions of theorems, stated of the space of the run
    "class from the rest is a stronger condition",
    "none on the wrong side",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two", "quasi", "three"])
def test_nothing_is_said_of_all_hyperplanes_that_is_true_through_the_origin_only(
    name: str, rendered: dict[tuple[str, bool], dict[str, str]]
) -> None:
    n_claims = 0
    for surface, text in rendered[name, False].items():
        for sentence in sentences(text):
            is_settled = VERDICT_IN_A_TABLE.search(sentence) or any(words in sentence for words in SETTLED)
            assert is_settled or ORIGIN.search(sentence), (surface, sentence)
            n_claims += 1
    assert n_claims > 10


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two", "quasi", "three"])
def test_with_bias_nothing_is_said_of_the_origin(name: str, rendered: dict[tuple[str, bool], dict[str, str]]) -> None:
    for surface, text in rendered[name, True].items():
        for sentence in sentences(text):
            assert not re.search(r"through the origin|without (an )?intercept", sentence), (surface, sentence)
        assert surface != "check" or name == "three" or "logistic regression with an intercept" in text


def test_meanings_are_true_of_single_rows() -> None:
    """Each sentence against brute force over hyperplanes of one column."""
    for bias in (True, False):
        offsets = np.arange(-20, 20.5, 0.5) if bias else np.zeros(1)
        for X, y in (
            ([10.0, 12.0], [-1, 1]), ([-1.0, 1.0], [-1, 1]), ([0.0, 1.0], [-1, 1]), ([1.0, 1.0, 2.0], [1, -1, 1]),
        ):  # fmt: skip
            verdict = mm.separability(np.array(X)[:, None], y, bias=bias).verdict
            scores = np.array([np.array(y) * (w * np.array(X) + b) for w in (-1.0, 0.0, 1.0) for b in offsets])
            strict, weak = (scores > 0).all(axis=1).any(), ((scores >= 0).all(axis=1) & (scores > 0).any(axis=1)).any()
            means = verdict.advice_for(bias=bias)
            assert (verdict == "separable") == strict and (verdict == "overlap") == (not weak)
            assert ("through the origin" in means) is not bias
            assert verdict.advice


def test_every_verdict_and_status_has_words() -> None:
    for bias in (True, False):
        assert len({verdict.advice_for(bias=bias) for verdict in mm.Verdict}) == len(mm.Verdict)
        assert len({status.advice_for(bias=bias) for status in mm.Status}) == len(mm.Status)
    for status in mm.Status:
        assert status.advice and status.is_inseparable == ("is 0" in status.advice)
        both = status.advice_for(bias=True), status.advice_for(bias=False)
        assert (both[0] != both[1]) == (status.is_inseparable or status is mm.Status.UNDECIDED)
