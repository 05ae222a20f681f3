"""The report of a comparison as pages and files."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from made_records import comparison, record
from page_outline import check_page

from maxmargin.comparison.record_files import write_csv, write_parquet
from maxmargin.reports.comparisons import ComparisonReport, comparison_report, margin_times
from maxmargin.reports.comparisons.comparison_displays import plot_mistake_laws
from maxmargin.reports.comparisons.mistake_laws import laws_of
from maxmargin.reports.comparisons.runs import FIELDS, Runs

HEADINGS = [
    *(
        "Failures and false claims",
        "Data sets by methods",
        "Who reaches the maximum margin",
        "Who misreports",
        "How long it takes",
    ),
    *("Performance profiles", "Mistakes against bounds", "Data", "Versions, settings and limits"),
]
NASTY = "a|b <i> $x$ {y} 50% #1 c_d ^~ \\end{document} данные\n\x1b[1m"


@pytest.fixture(scope="module")
def page(study: Any) -> str:
    return comparison_report(study).to_html()


def headings(page: str) -> list[str]:
    return [line[3:] for line in page.splitlines() if line.startswith("## ")]


def slower(study: Any) -> Any:
    """The same results on another machine, which took other times."""
    records = tuple({**r, "seconds": 7.0, "times_ours": 3.0, "passes": 9.0, "peak_mib": 1.0} for r in study.records)
    data = tuple({**facts, "seconds": 11.0} for facts in study.data)
    return replace(study, records=records, data=data, environment={**study.environment, "machine": {"processor": "Q"}})


def texts(report: ComparisonReport, *, times: bool) -> list[str]:
    return [form(times=times) for form in (report.to_markdown, report.to_json, report.to_latex)]


def test_headings_are_stable(study: Any) -> None:
    report = comparison_report(study)
    assert headings(report.to_markdown()) == [*HEADINGS[:5], margin_times.TITLE, *HEADINGS[5:]]
    assert headings(report.to_markdown(times=False)) == HEADINGS


def test_an_empty_comparison_has_the_same_headings() -> None:
    report = comparison_report(comparison())
    assert headings(report.to_markdown()) == HEADINGS
    assert report.pictures() == {} and report.summary()
    json.loads(report.to_json())


def test_held_out_errors_appear_with_folds_only() -> None:
    folds = [record("easy", "m", fold=fold, held_out_errors=fold) for fold in range(3)]
    page = comparison_report(comparison(*folds)).to_markdown()
    assert headings(page) == [*HEADINGS[:7], "Held-out errors", *HEADINGS[7:]]
    (entry,) = comparison_report(comparison(*folds)).to_dict()["held_out"]["methods"]
    assert (entry["n"], entry["mean"], entry["least"], entry["most"]) == (3, 1.0, 0.0, 2.0)


def test_the_order_of_the_records_does_not_matter(study: Any) -> None:
    shuffled = replace(study, records=tuple(reversed(study.records)), data=tuple(reversed(study.data)))
    assert texts(comparison_report(study), times=True) == texts(comparison_report(shuffled), times=True)
    assert comparison_report(study).summary() == comparison_report(shuffled).summary()


@pytest.mark.slow
def test_without_times_the_report_is_the_same_on_a_slower_machine(study: Any) -> None:
    fast, slow = comparison_report(study), comparison_report(slower(study))
    assert texts(fast, times=False) == texts(slow, times=False)
    assert all(a != b for a, b in zip(texts(fast, times=True), texts(slow, times=True), strict=True))


@pytest.mark.slow
def test_the_files_of_a_report(study: Any, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    written = comparison_report(study).save(folder)
    names = {path.relative_to(folder).as_posix() for path in written}
    forms = {f"report.{suffix}" for suffix in ("html", "md", "json", "tex")}
    assert {*forms, "results.md", "records.csv", "records.parquet"} <= names
    assert (folder / "results.md").read_text("utf-8") == comparison_report(study).to_markdown(times=False)
    assert sorted(path for path in folder.rglob("*") if path.is_file()) == sorted(written)
    linked = re.findall(r"\]\((figures/[^)]+)\)", (folder / "report.md").read_text("utf-8"))
    assert linked and set(linked) <= names


def test_a_folder_that_cannot_be_made_is_an_error_and_nothing_is_written(study: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OSError):
        comparison_report(study).save(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_the_records_read_back_as_they_are(study: Any, tmp_path: Path) -> None:
    write_csv(Runs(study).records, tmp_path / "records.csv")
    write_parquet(Runs(study).records, tmp_path / "records.parquet")
    with (tmp_path / "records.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    table = pq.read_table(tmp_path / "records.parquet")
    assert list(lines[0]) == table.column_names == list(FIELDS)
    rows = table.to_pylist()
    for made, line, row in zip(Runs(study).records, lines, rows, strict=True):
        for name in ("margin", "n_mistakes", "claim_true", "status"):
            assert row[name] == made[name]
            assert line[name] == ("" if made[name] is None else str(made[name]))
        assert json.loads(line["bounds"]) == json.loads(row["bounds"]) == made["bounds"]
        assert json.loads(line["params"]) == made["params"]


def test_json_has_every_number(study: Any) -> None:
    fields = json.loads(comparison_report(study).to_json())
    assert fields["schema"] == "maxmargin.comparison/1"
    assert fields == comparison_report(study).to_dict()
    assert fields["failures_and_false_claims"]["n_false"] == 1


def test_names_from_the_data_cannot_act_on_a_page() -> None:
    changes = {"data": NASTY, "message": NASTY, "params": {"p": NASTY}, "status": "error", "claim_true": False}
    made = comparison(record("easy", NASTY) | changes | {"claim": "separates"}, data=(), title=NASTY)
    report = comparison_report(made)
    for line in report.to_markdown().splitlines():
        assert "\x1b" not in line and "<i>" not in line.replace("\\<i\\>", "")
    assert "<i>" not in report.to_html() and "\x1b" not in report.summary()
    latex = report.to_latex()
    assert max(latex) <= "\xff" and latex.count(r"\end{document}") == 1
    assert not re.search(r"(?<!\\)[%#]|(?<!\\)\$x", latex)


def test_latex_tables_are_closed_and_rectangular(study: Any) -> None:
    latex = comparison_report(study).to_latex()
    found = re.findall(r"\\begin\{longtable\}\{([lr]+)\}(.*?)\\end\{longtable\}", latex, flags=re.DOTALL)
    assert len(found) == len(comparison_report(study).tables)
    for alignment, body in found:
        rows = [line for line in body.splitlines() if line.endswith(r" \\")]
        assert rows and {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(alignment) - 1}


def test_tables_in_markdown_are_aligned(study: Any) -> None:
    lines = comparison_report(study).to_markdown().splitlines()
    blocks = re.findall(r"(?:^\|.*\n?)+", "\n".join(lines), flags=re.MULTILINE)
    assert len(blocks) == len(comparison_report(study).tables) + 1
    for block in blocks[1:]:  # the first one has the key numbers
        assert len({len(line) for line in block.strip().splitlines()}) == 1


@pytest.mark.slow
def test_the_page_begins_with_the_answer(study: Any, page: str) -> None:
    failed = comparison_report(study).to_dict()["failures_and_false_claims"]
    (title,) = re.findall(r"<h1>(.*?)</h1>", page)
    assert (
        title == f"{failed['n_failed']} of {failed['n_records']} runs failed, and 1 claim is proven to be false. "
        "1 run is wrong in effect, 1 of them with a false claim."
    )
    lead = re.sub("<[^>]*>", "", "".join(re.findall(r'<p class="lead">(.*?)</p>', page)))
    assert lead.startswith("False claims come from cvxpy(solver=CLARABEL) (1). ")
    assert "is reached on all separable data by ours; 3 of 5 methods with hyperplanes separate all of it." in lead
    cards = dict(re.findall(r'<dt>(.*?)</dt><dd class="value">(.*?)</dd>', page))
    numbers = {"Runs": "n_records", "Failed": "n_failed", "False claims": "n_false", "Not run yet": "n_not_run"}
    assert {label: cards[label] for label in numbers} == {label: str(failed[name]) for label, name in numbers.items()}
    order = [page.index(f">{text}<") for text in ("Claims that are false", "Runs that failed, by method and status")]
    assert order == sorted(order)


def test_an_incomplete_study_says_so_after_its_title() -> None:
    page = comparison_report(comparison(record("easy", "m", share=1.0), n_not_run=2)).to_html()
    assert "<h1>0 of 1 runs failed, and no claim is proven to be false.</h1>" in page
    assert '<p class="lead">The comparison is not complete: 2 runs of the study have no record yet.</p>' in page


@pytest.mark.slow
def test_the_page_is_one_file_that_loads_nothing(study: Any, page: str) -> None:
    check_page(page)
    assert 'Content-Security-Policy" content="default-src' in page and page.count("<script") == 2
    assert page.count("<svg") == len(comparison_report(study).pictures())
    assert page.count('" tabindex="0"><div role="img" aria-label="') == page.count("<svg")


def test_long_tables_and_settings_are_closed() -> None:
    records = [record("easy", f"m{i:02}", claim="separates", claim_true=True, share=0.5) for i in range(20)]
    report = comparison_report(comparison(*records))
    page, text = report.to_html(times=False), report.to_markdown(times=False)
    closed = re.findall(r'<details class="part(?: printed)?"><summary>(.*?)</summary>', page)
    assert "Claims of the methods (20 rows)" in closed
    assert closed[-1] == "Settings, versions and environment"
    assert "### Claims of the methods (20 rows)\n\n**Claims of the methods**\n\n| Method" in text
    assert [table.caption for table in report.tables].count("Claims of the methods") == 1


def test_the_summary_begins_with_what_is_wrong_and_has_all_methods() -> None:
    records = [
        record("easy", f"m{i}", status="error" if i % 3 == 0 else "ok", claim="separates", claim_true=i % 3 != 1)
        for i in range(40)
    ]
    lines = comparison_report(comparison(*records, n_not_run=2), old=comparison()).summary().splitlines()
    assert 40 <= len(lines) <= 60
    assert lines[1] == "14 of 40 runs failed, and 13 claims are proven to be false."


@pytest.mark.slow
def test_figures_have_texts_and_are_inline_svg(study: Any) -> None:
    report = comparison_report(study)
    pictures = report.pictures()
    assert "mistakes-against-novikoff" in pictures and "time-profile-hard-margin" in pictures
    assert not any(key.startswith("time") for key in report.pictures(times=False))
    page = report.to_html()
    for picture in pictures.values():
        assert picture.title and picture.caption.endswith(".") and picture.alt.endswith(".")
        assert picture.alt.partition(" ")[0] in page


def test_every_method_has_marks_of_its_own() -> None:
    from matplotlib.figure import Figure

    made = comparison(*(record("easy", f"m{i:02}", n_mistakes=i + 1) for i in range(30)))
    ax = Figure().add_subplot()
    plot_mistake_laws(laws_of(Runs(made)), ax)
    marks = {(line.get_marker(), line.get_color()) for line in ax.lines if line.get_marker() != "None"}
    assert len(marks) == 30
    assert {float(x) == pytest.approx(float(y)) for x, y in ax.lines[-1].get_xydata()} == {True}
