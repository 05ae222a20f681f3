"""Results as tables of HTML."""

from maxmargin.solvers.answers.forms import html_table


def cells(fields: dict[str, object]) -> list[str]:
    page = html_table("headline", fields)
    head, rows = page.removesuffix("</tbody></table>").split("<tbody>")
    assert head == "<table><caption>headline</caption>"
    return rows.removeprefix("<tr><th>").removesuffix("</td></tr>").split("</td></tr><tr><th>")


def test_what_fits_in_a_line_is_a_row() -> None:
    fields = {"n": 0, "is_so": False, "none": None, "empty": "", "w": [1.5, 2.0], "signs": {"x": "+", "y": "-"}}
    assert cells(fields) == ["n</th><td>0", "is_so</th><td>False", "w</th><td>1.5, 2.0", "signs</th><td>x: +, y: -"]
    assert cells({"attempts": [{"solver": "DAQP"}], "plane": {"w": [1.0], "b": 0.0}, "points": [[1]], "n": 1}) == [
        "n</th><td>1"
    ]


def test_what_is_long_is_cut() -> None:
    assert cells({"w": [*range(11)]}) == ["w</th><td>0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..."]
    assert cells({"text": "x" * 201}) == [f"text</th><td>{'x' * 200}..."]


def test_nothing_from_the_data_is_mark_up() -> None:
    page = html_table("<b>", {"<i>": "a\n\x1b[1m", "names": ["<script>", '"&'], "signs": {"<u>": "+"}})
    assert page.isprintable()
    assert page.count("<") == page.count(">") == 2 * (3 + 3 * 3)
    assert "&lt;script&gt;, &quot;&amp;" in page and "a\\n\\x1b[1m" in page and "&lt;u&gt;: +" in page
