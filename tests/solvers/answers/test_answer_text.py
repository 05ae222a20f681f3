"""Results as cards of HTML."""

import math
import re
from html import unescape

import numpy as np
from cases import for_each

from maxmargin.solvers.answers.answer_text import Result, card_pairs
from maxmargin.solvers.answers.cards import between, card


class Made(Result):
    """A result with these fields and key numbers."""

    def __init__(self, fields: dict[str, object], numbers: dict[str, object] | None = None) -> None:
        self.own, self.numbers = fields, numbers or {}

    @property
    def headline(self) -> str:
        return "<b>what was found"

    def summary(self) -> str:
        return ""

    def to_dict(self) -> dict[str, object]:
        return self.own

    def _card_fields(self) -> dict[str, object]:
        return self.numbers


def key_numbers(page: str) -> list[tuple[str, str]]:
    return re.findall(r"<dt [^>]*>([^<]*)</dt><dd [^>]*>([^<]*)</dd>", page)


def test_what_fits_in_a_line_is_a_field() -> None:
    fields = {"n": 0, "is_so": False, "none": None, "empty": "", "w": [1.5, 2.0], "signs": {"x": "+", "y": "-"}}
    assert card_pairs(fields) == [("n", "0"), ("is_so", "False"), ("w", "1.5, 2.0"), ("signs", "x: +, y: -")]
    nested = {"attempts": [{"solver": "DAQP"}], "plane": {"w": [1.0], "b": 0.0}, "points": [[1]], "n": 1}
    assert card_pairs(nested) == [("n", "1")]


def test_what_is_long_is_cut() -> None:
    assert card_pairs({"w": [*range(11)]}) == [("w", "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...")]
    assert card_pairs({"text": "x" * 201}) == [("text", f"{'x' * 200}...")]


def test_the_first_fields_are_the_key_numbers_where_none_are_chosen() -> None:
    fields: dict[str, object] = {f"f{k}": k for k in range(9)}
    assert key_numbers(Made(fields)._repr_html_()) == [(f"f{k}", str(k)) for k in range(6)]
    chosen = {"a": 1234, "b": True, "c": None, "d": 2.5, "e": math.inf, "f": np.int64(7), "g": np.float64(1 / 3)}
    assert key_numbers(Made(fields, chosen)._repr_html_()) == [
        *(("a", "1,234"), ("b", "yes"), ("d", "2.5"), ("e", "∞"), ("f", "7"), ("g", "0.333333")),
    ]


def test_nothing_from_the_data_is_mark_up() -> None:
    hostile = "a\n\x1b[1m\u202e<script>\"&'</dd>"
    plain = card("n", "s", [("x", "1")], [("x", "1")], sentences=["t"], note="u")
    page = card(hostile, hostile, [(hostile, hostile)], [(hostile, hostile)], sentences=[hostile], note=hostile)
    assert page.isprintable()
    assert re.findall(r"<[^>]*>", page) == re.findall(r"<[^>]*>", plain)
    assert unescape(page).count("a\\n\\x1b[1m\\u202e<script>") == 8


def test_a_card_needs_nothing_but_itself() -> None:
    page = Made({"n": 1, "w": [1.0]})._repr_html_()
    assert set(re.findall(r"<([a-z]+)", page)) == {
        *("div", "dl", "dt", "dd", "details", "summary"),
        *("table", "tbody", "tr", "th", "td"),
    }
    assert set(re.findall(r"\s([a-z-]+)=\"", page)) == {"style"}
    assert "url(" not in page and "http" not in page and "<details open" not in page
    assert "&lt;b&gt;what was found" in page
    assert "color:inherit" in page and "background" not in page, "the theme of the notebook"


@for_each("lower, upper, text", [
    (0.8175557692888209, 0.817555769288821, "0.81755576928882[09, 10]"), (4.0, 4.0, "4"), (0.0, 0.0, "0"),
    (0.0, math.inf, "[0, ∞]"), (9.5, 95.0, "[9.5, 95]"), (0.001, 0.002, "[0.001, 0.002]"),
    (-2.5, -2.25, "[-2.5, -2.25]"), (9e-05, 0.00011, "[9e-05, 0.00011]"),
    (2.749999999999999, 2.7500000000000178, "[2.749999999999999, 2.7500000000000178]"),
    (-2.75, -2.7499, "-2.7[500, 499]"), (12.5, 12.53, "12.5[0, 3]"), (1.0625e300, 1.063e300, "1.06[25, 30]e+300"),
])  # fmt: skip
def test_the_common_digits_of_an_interval_are_shown_once(lower: float, upper: float, text: str) -> None:
    assert between(lower, upper) == text
