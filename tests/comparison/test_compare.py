"""Comparisons as a whole: records, failures, resuming, shards, clusters, and what a killed process leaves."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cases import for_each
from commands import completed, gone_within, printed, refusal, started
from plug_ins import ENDINGS, GOOD, hostile

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.comparison.cells import FIELDS
from maxmargin.comparison.collect import load_comparison
from maxmargin.comparison.jobs.store import NAME, Store
from maxmargin.comparison.run_study import run_study
from maxmargin.reports.comparisons.research_report import comparison_report
from maxmargin.solvers.errors import InvalidOptionError

# Fields that differ from run to run.
TIMED = ("seconds", "times_ours", "passes", "peak_mib", "jobs")


def study(folder: Path, text: str, **plug_ins: str) -> Path:
    """Write a study and its plug-ins into a folder."""
    for name, content in plug_ins.items():
        (folder / f"{name}.py").write_text(content)
    path = folder / "study.toml"
    path.write_text("schema = 1\n" + text)
    return path


def one(source: Any, method: Any, head: str = "") -> str:
    """Return the text of a study of these sources and methods."""
    return f"{head}[[data]]\nsource = {source!r}\n[[method]]\nname = {method!r}\n"


def timeless(comparison: mm.Comparison) -> list[dict[str, Any]]:
    return [{name: value for name, value in record.items() if name not in TIMED} for record in comparison.records]


SMALL = """
seeds = [0, 1]
orders = ["source", "random"]
prepare = ["raw", "standardize"]
plugins = ["good.py"]
data = [{source = ["agresti", "xor", "two-points"]}]
method = [{name = "good", scale = [1.0, 2.0]}, {name = ["perceptron", "hard-margin"]}]
"""
OF_GOOD = one("agresti", "good", "plugins = ['good.py']\n")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> mm.Comparison:
    folder = tmp_path_factory.mktemp("undisturbed")
    return run_study(study(folder, SMALL, good=GOOD), out=folder / "out")


@pytest.mark.slow
def test_every_record_has_every_field_and_agrees_with_the_verbs(undisturbed: mm.Comparison) -> None:
    assert all(tuple(record) == FIELDS for record in undisturbed.records)
    assert undisturbed.n_not_run == 0
    for record in undisturbed.records:
        assert record["status"] == "ok"
        if record["prepare"] != "raw":
            continue
        data = mm.load(record["data"])
        answer = mm.hard_margin(data.X, data.y)
        assert (record["gamma_lower"] or 0.0, record["gamma_upper"] or 0.0) == (answer.lower, answer.upper)
        if record["method"] == "perceptron" and record["order"] == "source":
            expected = mm.perceptron(data.X, data.y, max_mistakes=1_000_000)
            assert (record["n_mistakes"], record["b"]) == (expected.n_mistakes, expected.b)
            assert record["margin"] == expected.margin
            assert record["claim_true"] is (True if expected.converged else None)
            assert all(bound >= record["n_mistakes"] for bound in record["bounds"].values())
        if record["method"] == "hard-margin":
            assert record["claim_true"] is True


@pytest.mark.slow
def test_seeds_are_varied_only_where_they_matter(undisturbed: mm.Comparison) -> None:
    seeds = {(record["method"], record["order"]): set() for record in undisturbed.records}
    for record in undisturbed.records:
        seeds[record["method"], record["order"]].add(record["seed"])
    assert all(found == ({None} if order == "source" else {0, 1}) for (_, order), found in seeds.items())


@pytest.mark.slow
def test_a_comparison_prints_travels_and_becomes_a_frame(undisturbed: mm.Comparison) -> None:
    assert repr(undisturbed) == "<Comparison 72 records, 0 failures, 0 false claims>"
    assert json.loads(json.dumps(undisturbed.to_dict()))["n_not_run"] == 0
    frame = undisturbed.to_frame()
    assert list(frame.columns) == list(FIELDS) and len(frame) == len(undisturbed.records)
    assert undisturbed.failures == undisturbed.false_claims == ()


@pytest.mark.slow
def test_two_shards_merged_are_the_whole(tmp_path: Path, undisturbed: mm.Comparison) -> None:
    path = study(tmp_path, SMALL, good=GOOD)
    parts = [run_study(path, out=tmp_path / f"part{number}", shard=f"{number}/2") for number in (1, 2)]
    assert sum(len(part.records) for part in parts) == len(undisturbed.records)
    assert min(len(part.records) for part in parts) > 0
    plans, folders = [], [tmp_path / "part1", tmp_path / "part2"]
    whole = run_study(path, out=tmp_path / "whole", merge=folders, on_plan=plans.append)
    assert plans[0].due == ()
    assert timeless(whole) == timeless(undisturbed)


@for_each("shard", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2", 3, (0, 0), (5, 3), (1,), ("a", "b")])
def test_shards_that_do_not_exist_are_refused(tmp_path: Path, shard: Any) -> None:
    with pytest.raises(InvalidOptionError, match="expected I/N"):
        run_study(study(tmp_path, SMALL, good=GOOD), shard=shard)


@pytest.mark.slow
def test_hostile_methods_are_recorded_as_what_they_are(tmp_path: Path) -> None:
    names = list(ENDINGS)
    files = [f"{name}.py" for name in (*names, "good")]
    head = f"limit = {{seconds = 3, memory = '200MiB'}}\nplugins = {files}\n"
    text = one("agresti", [*names, "good", "cvxpy.MOSEK"], head)
    path = study(tmp_path, text, good=GOOD, **{name: hostile(name) for name in names})
    comparison = run_study(path, jobs=2, grace=10.0)
    found = {record["method"]: record["status"] for record in comparison.records}
    assert found == {**ENDINGS, "good": "ok", "cvxpy.MOSEK": "not_installed"}
    by_name = {record["method"]: record for record in comparison.records}
    assert by_name["segfault"]["exit_code"] == -signal.SIGSEGV
    assert by_name["leaves"]["exit_code"] == 3
    assert "NaN" in by_name["nan"]["message"]
    assert "with a line" in by_name["raises"]["message"]
    assert by_name["rubbish"]["claim_true"] is False
    assert [record["method"] for record in comparison.false_claims] == ["rubbish"]


@pytest.mark.slow
def test_after_the_time_limit_no_cell_begins(tmp_path: Path) -> None:
    path, out = study(tmp_path, one("xor", "hard-margin")), tmp_path / "out"
    assert run(["compare", str(path), "-o", str(out), "--time-limit", "1e-9", "-q"]) == 4
    assert mm.compare(path, out=out, time_limit=1e-9).n_not_run == 1
    assert run(["compare", str(path), "-o", str(out), "--time-limit", "60", "-q"]) == 0


@pytest.mark.slow
def test_what_time_left_open_is_proven_and_judged_again_with_more(tmp_path: Path) -> None:
    """Proofs that the limit cut short, and the judgement of answers that depends on them."""
    text = one("planted-gap:4000:100:12", "good", "limit = {{seconds = {}}}\nplugins = ['good.py']\n")
    paths = (study(tmp_path, text.format(seconds), good=GOOD) for seconds in (0.1, 60))
    (early,), (late,) = (run_study(path, out=tmp_path / "out").records for path in paths)
    assert (early["status"], early["verdict"], early["share"]) == ("ok", "undecided", None)
    assert (late["status"], late["verdict"]) == ("ok", "separable")
    assert late["gamma_lower"] <= late["gamma_upper"] < float("inf")


@pytest.mark.slow
def test_a_run_that_stopped_by_itself_when_its_time_was_over_runs_again_with_more(tmp_path: Path) -> None:
    mistakes = []
    for seconds, most in ((4, 10**12), (4, 10**12), (9, 10**12), (9, 1000), (15, 1000)):
        text = one("xor", "perceptron", f"limit = {{seconds = {seconds}}}\n") + f"max_mistakes = {most}\n"
        comparison = run_study(study(tmp_path, text), out=tmp_path / "out")
        mistakes += [record["n_mistakes"] for record in comparison.records]
    assert mistakes[0] == mistakes[1] < mistakes[2]
    assert mistakes[3:] == [1000, 1000]


@pytest.mark.slow
def test_a_method_that_was_installed_meanwhile_runs(tmp_path: Path) -> None:
    path = study(tmp_path, OF_GOOD, good="NEEDS = ('module_of_tomorrow',)\n" + GOOD)
    assert run_study(path, out=tmp_path / "out").records[0]["status"] == "not_installed"
    (tmp_path / "module_of_tomorrow.py").write_text("")
    sys.path.insert(0, str(tmp_path))
    try:
        assert run_study(path, out=tmp_path / "out").records[0]["status"] == "ok"
    finally:
        sys.path.remove(str(tmp_path))


@pytest.mark.slow
def test_patterns_of_files_and_names_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("a", "b"):
        (tmp_path / "data" / f"{name}.csv").write_text("x,y\n1,0\n2,1\n")
    comparison = run_study(study(tmp_path, one("data/*.csv", "lp")))
    assert [record["data"] for record in comparison.records] == ["data/a.csv", "data/b.csv"]


@pytest.mark.slow
def test_changed_data_and_changed_plug_ins_are_other_cells(tmp_path: Path) -> None:
    text, records = one("data.csv", "good", "plugins = ['good.py']\n"), []
    for value, plug_in in ((3, GOOD), (4, GOOD), (4, GOOD + "\n# changed\n")):
        (tmp_path / "data.csv").write_text(f"x,y\n1,0\n{value},1\n")
        records += run_study(study(tmp_path, text, good=plug_in), out=tmp_path / "out").records
    assert len({record["cell"] for record in records}) == len(records) == 3
    assert records[0]["version"] == records[1]["version"] != records[2]["version"]


@pytest.mark.slow
def test_folds_hold_rows_out(tmp_path: Path) -> None:
    text = (
        "folds = 5\ndata = [{source = 'iris', positive = 'setosa'}]\nmethod = [{name = ['perceptron', 'hard-margin']}]"
    )
    comparison = run_study(study(tmp_path, text))
    assert {record["fold"] for record in comparison.records} == set(range(5))
    assert all(record["n_samples"] == 120 and record["held_out_errors"] <= 30 for record in comparison.records)
    whole = mm.hard_margin(mm.load("iris", positive="setosa"))
    assert all(record["gamma_upper"] >= whole.lower for record in comparison.records)  # fewer rows, wider margin


def few(folder: Path, labels: str, folds: int) -> Path:
    """Return a study of a row for each of these labels."""
    (folder / "few.csv").write_text("\n".join(["x,y", *(f"{i},{label}" for i, label in enumerate(labels))]))
    return study(folder, one("few.csv", "lp", f"folds = {folds}\n"))


@pytest.mark.parametrize(("labels", "folds"), [("ab", 2), ("abab", 5)])
def test_folds_without_rows_of_a_class_are_refused(tmp_path: Path, labels: str, folds: int) -> None:
    with pytest.raises(mm.DataError, match=f"few.csv: {folds} folds need"):
        run_study(few(tmp_path, labels, folds))


@pytest.mark.slow
def test_no_fold_is_empty(tmp_path: Path) -> None:
    comparison = run_study(few(tmp_path, "aabbb", 5))
    assert [record["held_out_errors"] is not None for record in comparison.records] == [True] * 5
    assert [fact["n_samples"] for fact in comparison.data] == [4] * 5


@pytest.mark.slow
def test_numbers_beyond_binary64_are_left_out_and_judged_all_the_same(tmp_path: Path) -> None:
    huge = "1.7e308," * 4
    (tmp_path / "huge.csv").write_text(f"a,b,c,d,y\n{huge}p\n{huge.replace('1.7', '-1.7')}n\n")
    (tmp_path / "tiny.csv").write_text("a,y\n" + "".join(f"{5e-324 * i},{'pn'[i > 4]}\n" for i in range(9)))
    text = one(["huge.csv", "tiny.csv"], ["hard-margin", "soft-margin", "lp"])
    comparison = run_study(study(tmp_path, text))
    assert not comparison.failures and not comparison.false_claims
    assert {record["verdict"] for record in comparison.records} == {"separable"}
    by_cell = {(record["data"], record["method"]): record for record in comparison.records}
    assert by_cell["huge.csv", "lp"]["gamma_upper"] is None
    assert by_cell["tiny.csv", "soft-margin"]["margin"] is None and by_cell["tiny.csv", "soft-margin"]["n_errors"] > 0


@pytest.mark.slow
def test_every_class_against_the_rest_and_features(tmp_path: Path) -> None:
    text = '[[data]]\nsource = ["iris", "xor"]\npositive = "setosa"\n'
    text += one("iris", "lp").replace("[[method]]", "features = 'polynomial:2'\n[[method]]")
    comparison = run_study(study(tmp_path, text))
    names = ["iris: setosa", "xor", *(f"iris (polynomial:2): {name}" for name in ("setosa", "versicolor", "virginica"))]
    assert [record["data"] for record in comparison.records] == names
    assert [record["n_features"] for record in comparison.records] == [4, 2, 14, 14, 14]
    assert [record["verdict"] for record in comparison.records] == ["separable", "overlap", *["separable"] * 3]


WRONG = {
    "schema = 2\n": ("schema", 1),
    "sed = [1]\n[[data]]\nsource='xor'\n[[method]]\nname='lp'\n": ("did you mean 'seeds'", 2),
    "orders = ['upwards']\n[[data]]\nsource='xor'\n[[method]]\nname='lp'\n": ("expected one of source, random", 2),
    "[[data]]\nsource='xor'\n[[method]]\nname='lpp'\n": ("there is no method 'lpp'; did you mean 'lp'?", 5),
    one("xor", "lp") + "[[method]]\nname='perceptron'\nmax_mistake=3\n": ("max_mistakes", 8),
    "[[data]]\nsource='xor'\nfeatures = 'cubic'\n[[method]]\nname='lp'\n": ("expected polynomial:DEGREE", 4),
    "limit = {seconds = -1}\n[[data]]\nsource='xor'\n[[method]]\nname='lp'\n": ("a positive number", 2),
    "limit = {memory = 'much'}\n[[data]]\nsource='xor'\n[[method]]\nname='lp'\n": ("512MiB", 2),
    "[[data]]\nsource=['xor', 'xor']\n[[method]]\nname='lp'\n": ("every value once", 3),
    "[[data]]\nsource='no/such/*.csv'\n[[method]]\nname='lp'\n": ("a pattern of files that exist", 3),
    "[[data]]\nsource='xor'\n": ("tables [[method]]", None),
    "seeds = []\n[[data]]\nsource='xor'\n[[method]]\nname='lp'\n": ("found nothing", 2),
    "schema = true\n": ("schema = 1", 1),
    "tolerance = 5\n[[data]]\nsource='xor'\n[[method]]\nname='lp'\n": ("a number below 1", 2),
    "seeds = [0, -1]\n[[data]]\nsource='xor'\n[[method]]\nname='lp'\n": ("whole numbers from 0", 2),
    f"limit = {{seconds = 1{400 * '0'}}}\n[[data]]\nsource='xor'\n[[method]]\nname='lp'\n": ("a positive number", 2),
    f"limit = {{memory = '1{400 * '0'}'}}\n[[data]]\nsource='xor'\n[[method]]\nname='lp'\n": ("a size of memory", 2),
    "[[data]]\nsource='-'\n[[method]]\nname='lp'\n": ("a file, which can be read again", 3),
    "[[data]]\nsource='xor'\nlabel = ['y']\n[[method]]\nname='lp'\n": ("a column, by its name", 4),
    "[[data]]\nsource='xor'\ndrop = [['y']]\n[[method]]\nname='lp'\n": ("columns, by their names", 4),
    "[[data]]\nsource='xor'\ndrop_missing = 'x'\n[[method]]\nname='lp'\n": ("true or false", 4),
    "[[data]]\nsource='xor'\n[[method]]\nname='soft-margin'\nC = []\n": ("found nothing", 6),
    "[[data]]\nsource='xor'\n[[method]]\nname='soft-margin'\nC = [[1, 2]]\n": ("tables of them", 6),
    "[[data]]\nsource='xor'\n[[method]]\nname='sklearn.SVC'\ntol = 2020-01-01\n": ("tables of them", 6),
    "folds = 1\n[[data]]\nsource='xor'\n[[method]]\nname='lp'\n": ("a number of folds from 2", 2),
}  # fmt: skip


@for_each("text", WRONG)
def test_a_bad_study_is_a_line_that_names_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    expected, line = WRONG[text]
    path = study(tmp_path, text)
    if text.startswith("schema"):
        path.write_text(text + "[[data]]\nsource='xor'\n[[method]]\nname='lp'\n")
    err = refusal(capsys, "compare", path, "-o", tmp_path / "out")
    assert expected in err and (line is None or f"line {line}," in err)
    assert not (tmp_path / "out").exists()


def test_broken_plug_ins_and_toml_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = study(tmp_path, one("xor", "bad", "plugins = ['bad.py']\n"), bad="def fit(:\n")
    assert "SyntaxError" in refusal(capsys, "compare", str(path), "-o", str(tmp_path / "out"))
    path.write_text("schema = [1\n")
    assert "no TOML" in refusal(capsys, "compare", str(path), "-o", str(tmp_path / "out"))
    with pytest.raises(mm.DataError):
        run_study({"schema": 1, "data": [], "method": []})


@pytest.mark.slow
def test_a_dry_run_runs_nothing_and_a_second_run_neither(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = study(tmp_path, SMALL, good=GOOD)
    dry = "compare", path, "-o", tmp_path / "out", "--dry-run", "-q"
    assert "72 cells, 72 to run: at most" in printed(capsys, *dry, code=4)
    assert not (tmp_path / "out").exists()
    assert run(["compare", str(path), "-o", str(tmp_path / "out"), "-q"]) == 0
    assert json.loads(printed(capsys, *dry, "--json"))["n_due"] == 0
    first, plans = load_comparison(tmp_path / "out"), []
    again = run_study(path, out=tmp_path / "out", on_plan=plans.append)
    assert plans[0].due == ()
    assert again.records == first.records


SLOW_STUDY = """
seeds = [0, 1]
orders = ["source", "random"]
plugins = ["good.py"]
data = [{source = ["agresti", "xor", "two-points", "gap:10"]}]
method = [{name = "good", pause = [0.05, 0.07]}, {name = ["perceptron", "hard-margin"]}]
"""


def workers_of(pid: int) -> list[int]:
    """Return the processes whose parent this is."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends processes with their parent")
def test_a_study_that_is_killed_five_times_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    path = study(tmp_path, SLOW_STUDY, good=GOOD)
    expected = run_study(path, out=tmp_path / "undisturbed")
    out, randomness, n_killed = tmp_path / "out", random.Random(0), 0
    while n_killed < 5:
        process = started("compare", str(path), "-o", str(out), "--jobs", "2", "--quiet", start_new_session=True)
        time.sleep(randomness.uniform(1.0, 3.0))
        workers = workers_of(process.pid)
        if process.poll() is None:
            process.kill()
            n_killed += 1
        process.communicate()
        assert all(gone_within(pid, 10) for pid in workers)
        if process.returncode == 0:
            (out / NAME).unlink()  # it was too quick to be killed: once more from the beginning
    done = completed("compare", str(path), "-o", str(out), "--quiet")
    assert done.returncode == 0, done.stderr
    assert timeless(load_comparison(out)) == timeless(expected)


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path: Path) -> None:
    path = study(tmp_path, SLOW_STUDY, good=GOOD)
    process = started("compare", str(path), "-o", str(tmp_path / "out"), start_new_session=True)
    while not (tmp_path / "out" / NAME).exists() or len(_done(tmp_path / "out")) < 5:
        time.sleep(0.1)
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err and "goes on from here" in err
    n_done = len(_done(tmp_path / "out"))
    assert n_done >= 5 and (tmp_path / "out" / "report.md").exists()
    assert completed("compare", str(path), "-o", str(tmp_path / "out"), "--quiet").returncode == 0
    assert len(_done(tmp_path / "out")) > n_done


def _done(folder: Path) -> dict[str, Any]:
    with Store(folder) as store:
        return store.records("cell")


@pytest.mark.slow
def test_two_processes_on_one_folder_do_no_harm(tmp_path: Path) -> None:
    path = study(tmp_path, SLOW_STUDY, good=GOOD)
    expected = run_study(path, out=tmp_path / "undisturbed")
    both = [started("compare", str(path), "-o", str(tmp_path / "out"), "--quiet") for _ in range(2)]
    for process in both:
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    assert timeless(load_comparison(tmp_path / "out")) == timeless(expected)


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_records(tmp_path: Path, undisturbed: mm.Comparison) -> None:
    from distributed import LocalCluster

    path = study(tmp_path, SMALL, good=GOOD)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        found = run_study(path, cluster=cluster.scheduler_address)
    assert timeless(found) == timeless(undisturbed)


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refusal(capsys, "compare", study(tmp_path, OF_GOOD, good=GOOD), "-o", tmp_path / "out", "--cluster", "x", "-q")


@pytest.mark.slow
def test_a_full_disk_is_a_clear_error_and_what_is_done_stays(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from maxmargin.cli.app import run
if __name__ == "__main__":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    sys.exit(run(["compare", sys.argv[1], "-o", sys.argv[2], "--quiet"]))
"""
    (tmp_path / "main.py").write_text(code)
    path = study(tmp_path, SMALL, good=GOOD)
    command = [sys.executable, str(tmp_path / "main.py"), str(path), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr
    assert "what was written before is kept" in done.stderr and "Traceback" not in done.stderr
    n_done = len(_done(tmp_path / "out"))
    assert 0 < n_done < 72
    assert completed("compare", str(path), "-o", str(tmp_path / "out"), "--quiet").returncode == 0
    assert len(_done(tmp_path / "out")) == 72


@pytest.mark.slow
def test_the_report_says_what_changed_since_another_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", str(study(tmp_path, OF_GOOD, good=GOOD)), "-o", str(tmp_path / "old"), "-q"]) == 0
    path = study(tmp_path, OF_GOOD, good=GOOD.replace("scale * (", "-scale * ("))
    arguments = ["compare", str(path), "-o", str(tmp_path / "new"), "-q", "--diff", str(tmp_path / "old")]
    assert "Since the old run:" in printed(capsys, *arguments)
    report = (tmp_path / "new" / "report.md").read_text()
    assert "## Changes since the old run" in report and "margin" in report
    assert "found no folder" in refusal(capsys, *arguments[:-1], str(tmp_path / "nowhere"))


# A file that changes while a study runs, or that is missing for a moment, and how it is refused.
CHANGES = {
    "data": ("data.csv", "x,y\n3,0\n1,1\n2,0\n", mm.DataError, "have changed since the study was planned"),
    "no data": ("data.csv", None, (mm.DataError, OSError), r"(?i)no such file"),
    "plug-in": ("good.py", GOOD + "\n", mm.DataError, "has changed since the study was planned"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_while_a_study_runs_is_an_error_and_taken_as_it_is_later(name: str, tmp_path: Path) -> None:
    file, content, error, words = CHANGES[name]
    (tmp_path / "data.csv").write_text("x,y\n1,0\n3,1\n")
    path = study(tmp_path, one("data.csv", ["lp", "good"], "plugins = ['good.py']\n"), good=GOOD)
    kept = (tmp_path / file).read_text()

    def change(plan: object) -> None:
        (tmp_path / file).unlink()
        if content is not None:
            (tmp_path / file).write_text(content)

    with pytest.raises(error, match=words):
        run_study(path, out=tmp_path / "out", on_plan=change)
    (tmp_path / file).write_text(content or kept)
    lp, good = run_study(path, out=tmp_path / "out").records
    assert (lp["status"], lp["verdict"], lp["claim_true"], good["status"]) == ("ok", "separable", True, "ok")


@pytest.mark.slow
def test_sparse_rows_are_such_as_peers_take(tmp_path: Path) -> None:
    (tmp_path / "rows.svm").write_text("-1 1:1\n-1 1:2 3:1\n+1 2:1\n+1 2:2 3:1\n")
    methods = ["sklearn.SVC", "sklearn.LinearSVC", "cvxpy.CLARABEL", "perceptron", "lp"]
    comparison = run_study(study(tmp_path, one("rows.svm", methods, "orders = ['reversed']\n")))
    assert [record["status"] for record in comparison.records] == ["ok"] * 5
    assert [record["n_errors"] for record in comparison.records] == [0] * 5


VANDAL = """
RANDOM = False
def fit(X, y, *, seed, time_limit, params=None):
    import os
    import numpy as np
    np.seterr(all="raise")
    X.flags.writeable = y.flags.writeable = True
    mean = X.mean(axis=0)
    X -= mean
    y += 1
    y /= 2
    return {"w": None, "message": f"{mean.tolist()}", "bounds": {"novikoff": 1.0}, "n_mistakes": 1000}
"""


@pytest.mark.slow
def test_a_method_that_writes_into_its_rows_harms_no_other(tmp_path: Path) -> None:
    head, others = "orders = ['source', 'random']\n", ["hard-margin", "sklearn.SVC", "perceptron", "statsmodels.GLM"]
    alone = run_study(study(tmp_path, one("agresti", others, head)))
    text = one("agresti", ["vandal", *others], f"{head}plugins = ['vandal.py']\n")
    beside = run_study(study(tmp_path, text, vandal=VANDAL))
    assert timeless(alone) == [one for one in timeless(beside) if one["method"] != "vandal"]
    messages = {record["message"] for record in beside.records if record["method"] == "vandal"}
    assert len(messages) == 1, "the first run, the warm run and every order see the same rows"
    assert not comparison_report(beside).to_dict()["mistakes"].get("alarms")
    assert [record["bounds"] for record in beside.records if record["method"] == "vandal"] == [{}, {}]


@pytest.mark.slow
def test_seeds_of_plug_ins_are_varied_and_recorded(tmp_path: Path) -> None:
    seeded = "def fit(X, y, *, seed, time_limit):\n    return {'w': [1.0 + seed], 'n_mistakes': seed}\n"
    for seeds in ([0, 1], [7], [1, 0]):
        text = one("agresti", "seeded", f"seeds = {seeds}\nplugins = ['seeded.py']\n")
        path = study(tmp_path, text, seeded=seeded)
        found = [(record["seed"], record["n_mistakes"]) for record in run_study(path, out=tmp_path / "out").records]
        assert found == [(seed, seed) for seed in seeds]


@pytest.mark.slow
def test_answers_that_are_none_are_invalid_and_the_report_is_written(tmp_path: Path) -> None:
    answers = {
        "many": "{'w': None, 'n_mistakes': 10**30}", "words": "{'w': ['1']}", "complex": "{'w': [1j]}",
        "huge": "{'w': [10**400]}", "claim": "{'w': None, 'claim': []}", "no_b": "{'w': [1.0], 'b': [1, 2]}",
        "aim": "{'w': [1.0], 'objective': 3}", "zero": "{'w': [1.0], 'objective': {'C': 1, 'intercept': 0}}",
    }  # fmt: skip
    plug_ins = {name: f"def fit(X, y, *, seed, time_limit):\n    return {text}\n" for name, text in answers.items()}
    plug_ins["odd"] = "def fit(X, y, *, seed, time_limit):\n    return {'w': None, 'message': 'bad \\udc80' * 10**6}\n"
    plug_ins["gone"] = "def fit(X, y, *, seed, time_limit):\n    import os\n    os._exit(0)\n"
    text = one("agresti", [*plug_ins], f"plugins = {[f'{name}.py' for name in plug_ins]}\n")
    assert run(["compare", str(study(tmp_path, text, **plug_ins)), "-o", str(tmp_path / "out"), "-q"]) == 0
    found = {record["method"]: record for record in load_comparison(tmp_path / "out").records}
    assert {found[name]["status"] for name in answers} == {"invalid"}
    assert found["odd"]["status"] == "ok" and len(found["odd"]["message"]) < 10_000
    assert (found["gone"]["status"], found["gone"]["exit_code"]) == ("crashed", 70)
    assert (tmp_path / "out" / "records.parquet").exists()


@pytest.mark.slow
def test_lists_of_columns_and_tables_of_parameters(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("id,x1,c,y\n1,0,u,a\n2,1,v,b\n3,2,u,b\n4,0,v,a\n")
    text = "[[data]]\nsource = 'd.csv'\ndrop = ['id']\none_hot = ['c']\n"
    text += "[[method]]\nname = 'sklearn.SVC'\nC = [1, inf]\n[[method]]\nname = 'lp'\n"
    comparison = run_study(study(tmp_path, text))
    lp = comparison.records[-1]
    assert (lp["status"], lp["n_features"], lp["claim_true"]) == ("ok", 2, True)
    assert [record["params"].get("C") for record in comparison.to_dict()["records"]] == [1, "inf", None]
