"""The page that puts other packages beside ours says what they answer, and ours is proven."""

from pathlib import Path
from typing import Any

import firthmodels
import numpy as np
import pytest

import maxmargin as mm

PAGE = Path(__file__).parents[2] / "docs" / "models" / "other-packages.md"

AGE = np.array([3.0, 4, 1, 2, 5, 4, 3, 5, 1, 2, 4, 3])
STAGE = np.repeat([0.0, 0, 1], 4)
COIN = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1])
MIXED = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1])
TWO_LOW = np.array([0, 0, 1, 1])
GAP = 2.0**-40


def columns(*parts: Any) -> Any:
    return np.column_stack(parts)


def table(name: str, positive: str) -> tuple[Any, Any]:
    data = mm.load(name, positive=positive)
    return data.X, (data.y > 0).astype(int)


DATA: dict[str, tuple[Any, Any]] = {
    "complete: events above an age": (columns(AGE), (AGE > 2.5).astype(int)),
    "a level in which all have the event": (columns(AGE, STAGE), COIN),
    "a level with one row": (columns(AGE, np.arange(12.0) == 3), MIXED),
    "an age that both classes have": (columns([1.0, 2, 2, 3]), TWO_LOW),
    "no separation": (columns(AGE, STAGE), MIXED),
    "iris, versicolor against the rest": table("iris", "versicolor"),
    "a level coded as 0 and 1,000,000": (columns(AGE, 1e6 * STAGE), COIN),
    "ages in units of 1e-8": (columns(1e-8 * AGE, STAGE), COIN),
    "a gap of 2^-40": (columns([0.0, 1, 1 + GAP, 2]), TWO_LOW),
    "iris, setosa against the rest": table("iris", "setosa"),
    "breast_cancer": table("breast_cancer", "malignant"),
    "ages in units of 1e+8": (columns(1e8 * AGE, STAGE), (AGE > 2.5).astype(int)),
    "classes that overlap by 2^-40": (columns([0.0, 1 + GAP, 1, 2]), TWO_LOW),
    "a sum of two columns": (columns(AGE, STAGE, AGE + STAGE), COIN),
    "a constant column": (columns(AGE, np.ones(12)), MIXED),
}

SIGNS = {"+": "+", "-": "-", "either sign": "±", 1: "+", -1: "-", 0: "0"}


def shown(verdict: str, signs: list[str]) -> str:
    """The verdict with the signs, or with their number if there are many; nothing but the verdict if all are finite."""
    if len(signs) > 9:
        return f"{verdict}, {sum(sign != '0' for sign in signs)} of {len(signs)}"
    return verdict if set(signs) == {"0"} else f"{verdict}, {' '.join(signs)}"


def theirs(X: Any, y: Any) -> str:
    try:
        answer = firthmodels.detect_separation(X, y)
    except np.linalg.LinAlgError:
        return "LinAlgError"
    signs = [SIGNS[int(sign)] for sign in np.sign(answer.directions)]
    return shown("separated" if answer.separation else "not separated", [signs[-1], *signs[:-1]])


def ours(X: Any, y: Any) -> str:
    answer = mm.separability(X, y)
    assert answer.certificate is not None and mm.verify(answer.certificate, X, y)
    assert answer.infinite_columns is not None and answer.aliased_columns is not None
    of: dict[Any, str] = {name: SIGNS[sign] for name, sign in answer.infinite_columns.items()}
    of |= dict.fromkeys(answer.aliased_columns, ".")
    return shown(answer.verdict.value, [of.get(name, "0") for name in ("(Intercept)", *range(X.shape[1]))])


def verdicts_of_page() -> dict[str, tuple[str, str, str]]:
    rows = [line.strip("|\n ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    return {row[0]: (row[1], row[2], row[3]) for row in rows if row[0] in DATA}


def test_the_page_has_all_of_them() -> None:
    assert list(verdicts_of_page()) == list(DATA)


@pytest.mark.parametrize("name", DATA)
def test_the_answers_are_those_of_the_page(name: str) -> None:
    them, us, is_same = verdicts_of_page()[name]
    X, y = DATA[name]
    assert (theirs(X, y), ours(X, y)) == (them, us)
    signs = [part.partition(", ")[2] for part in (them, us)]
    agree = signs[0] == signs[1] and (them.startswith("separated") != us.startswith("overlap"))
    assert agree == (is_same == "yes")


def test_where_they_differ_the_reasons_are_those_of_the_page() -> None:
    X, y = DATA["ages in units of 1e+8"]
    answer = mm.separability(X, y)
    assert [(term.sign, term.is_combined) for term in answer.terms if term.name == 0] == [("+", False)]
    assert mm.separability(X[:, :1], y).verdict is mm.Verdict.SEPARABLE
    for other in ("a sum of two columns", "a constant column"):
        X, y = DATA[other]
        assert mm.separability(X, y).verdict is mm.separability(X[:, :-1], y).verdict
