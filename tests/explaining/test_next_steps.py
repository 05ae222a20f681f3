"""Levels in which a class does not occur, advice that helps, and lines of Python that run as they are printed."""

import pickle
import re
import textwrap
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

import maxmargin as mm

REFERENCE = "C(stage, Treatment('IV'))"


def cohort(n: int = 120) -> pd.DataFrame:
    """Return patients of whom all with stage IV died, in no order."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "age": rng.integers(30, 90, n),
            "stage": rng.choice(["I", "II", "III", "IV"], n, p=[0.4, 0.3, 0.2, 0.1]),
            "treat": rng.choice(["A", "B"], n),
        }
    )
    died = (rng.random(n) < 0.4) | (table["stage"] == "IV")
    table["died"] = np.where(died, "yes", "no")
    return table.set_index(pd.Index(rng.permutation(n) + 1000, name="patient"))


COHORT = cohort()
OF_STAGE_IV = f"all {(COHORT['stage'] == 'IV').sum()} rows with stage=IV"


def advice(answer: mm.Separability) -> str:
    return answer.summary().partition("what next")[2].partition("  found by")[0]


def run_lines(answer: mm.Separability) -> tuple[Any, Any, str]:
    """Run the lines of Python in the advice, and return the part, the fit and what was printed."""
    lines = advice(answer).splitlines()
    (start,) = (i for i, line in enumerate(lines) if "import statsmodels" in line)
    (end,) = (i for i, line in enumerate(lines) if "print(" in line)
    printed: list[str] = []
    names = {"answer": answer, "print": lambda text: printed.append(str(text))}
    exec(textwrap.dedent("\n".join(lines[start : end + 1])), names)
    return names["part"], names["fit"], "".join(printed)


def whole_fit(formula: str) -> Any:
    numeric = COHORT.assign(died=(COHORT["died"] == "yes").astype(int))
    with np.errstate(all="ignore"):
        return smf.glm(formula, numeric, family=sm.families.Binomial()).fit(maxiter=200)


@pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.PerfectSeparationWarning")
@pytest.mark.parametrize("as_asked", ["formula", "frame", "polars", "arrays", "reference", "no intercept"])
def test_the_printed_lines_fit_the_finite_coefficients(as_asked: str) -> None:
    """The finite coefficients and their standard errors are those in the limit of the fit of the whole model."""
    frame = COHORT[["age", "stage", "treat"]]
    formula = {
        "reference": f"died ~ age + {REFERENCE} + treat", "no intercept": "died ~ 0 + age + stage + treat",
    }.get(as_asked, "died ~ age + stage + treat")  # fmt: skip
    whole = whole_fit(formula)
    coded = pd.get_dummies(frame, drop_first=True, dtype=float)
    answer = {
        "frame": lambda: mm.separability(frame, COHORT["died"]),
        "polars": lambda: mm.separability(pl.from_pandas(COHORT), "died"),
        "arrays": lambda: mm.separability(coded.to_numpy(), COHORT["died"].to_numpy()),
    }.get(as_asked, lambda: mm.separability(COHORT, formula))()
    part, fit, printed = run_lines(answer)
    names = [*(["const"] if part.has_intercept else []), *map(str, part.columns)]
    assert all(f"\n{name} " in printed for name in names)
    assert part.has_intercept == (as_asked != "no intercept")
    found, errors = (dict(zip(names, values, strict=True)) for values in (np.asarray(fit.params), np.asarray(fit.bse)))
    own_names = {"0": "age", "1": "stage[T.II]", "2": "stage[T.III]", "4": "treat[T.B]"}
    own_names |= {"stage=II": "stage[T.II]", "stage=III": "stage[T.III]", "treat=B": "treat[T.B]", "const": "Intercept"}
    finite = ["const" if name == "(Intercept)" else str(name) for name in answer.finite_columns or ()]
    assert len(finite) == {"reference": 2, "no intercept": 5}.get(as_asked, 5)
    for name in finite:
        other = own_names.get(name, name)
        assert found[name] == pytest.approx(whole.params[other], abs=1e-4)
        assert errors[name] == pytest.approx(whole.bse[other], abs=1e-4)


def test_a_part_keeps_the_names_of_rows_and_columns() -> None:
    answer = mm.separability(COHORT, "died ~ age + stage")
    part = answer.finite_part()
    frame = part.to_frame()
    assert list(frame.columns) == ["age", "stage[T.II]", "stage[T.III]", "died"]
    assert frame.index.equals(COHORT.index[COHORT["stage"] != "IV"]) and frame.index.name == "patient"
    assert part.names.ids == frame.index.tolist() and part.names.columns == part.columns
    assert frame["died"].equals((COHORT.loc[frame.index, "died"] == "yes").astype(np.int64))
    by_position = mm.separability(COHORT.reset_index(drop=True), "died ~ age + stage").finite_part()
    assert by_position.to_frame().index.tolist() == part.rows.tolist()
    pairs = COHORT.set_axis(pd.MultiIndex.from_product([range(30), list("abcd")]))
    assert mm.separability(pairs, "died ~ age + stage").finite_part().to_frame().index[0] == pairs.index[part.rows[0]]
    taken = pd.DataFrame({"y": [1.0, 2, 1, 2, 1], "z": [0, 0, 0, 0, 1]})
    assert list(mm.separability(taken, [0, 1, 1, 0, 1]).finite_part().to_frame().columns) == ["y", "y_"]


def test_a_reference_level_is_the_reason() -> None:
    answer = mm.separability(COHORT, f"died ~ age + {REFERENCE}")
    of_reference = f"{OF_STAGE_IV}, the reference level, have died=yes"
    assert {(term.reason, term.is_combined) for term in answer.terms or ()} == {(of_reference, False)}
    assert len(answer.terms or ()) == 4
    assert answer.summary().count(of_reference) == 1
    assert "merge stage=IV with a level in which both classes occur" in advice(answer)
    assert "dropping the column" not in advice(answer)  # it has none


def test_a_part_says_which_of_its_terms_are_infinite_in_the_whole_model() -> None:
    answer = mm.separability(COHORT, f"died ~ age + {REFERENCE}")
    part = answer.finite_part()
    assert part.left_out == (f"{REFERENCE}[T.III]",)
    assert part.infinite == ("(Intercept)", f"{REFERENCE}[T.I]", f"{REFERENCE}[T.II]")
    assert f"its coefficients of (Intercept), {REFERENCE}[T.I], {REFERENCE}[T.II] are not those" in advice(answer)
    assert "another level is the reference there)" in advice(answer)
    other = mm.separability(COHORT, "died ~ age + stage")
    assert other.finite_part().infinite == () and "its coefficients of" not in advice(other)


def test_terms_that_are_not_determined_are_listed_apart() -> None:
    answer = mm.separability(COHORT, "died ~ age + stage * treat")
    (term,) = (term for term in answer.terms or () if term.sign == "either sign")
    assert term.name == "stage[T.IV]:treat[T.B]" and "stay at any finite value" in term.reason
    lines = [line for line in answer.summary().splitlines() if str(term.name) in line]
    assert len(lines) == 1 and lines[0].startswith(
        "  not determined (each may go to infinity with either sign, or stay"
    )
    numeric = COHORT.assign(died=(COHORT["died"] == "yes").astype(int))
    design = sm.add_constant(pd.get_dummies(COHORT[["age", "stage", "treat"]], drop_first=True, dtype=float))
    for level in ("II", "III"):
        design[f"{level}:B"] = design[f"stage_{level}"] * design["treat_B"]
    cell = design["stage_IV"] * design["treat_B"]
    with np.errstate(all="ignore"):
        fits = [
            sm.GLM(numeric["died"], design, offset=value * cell, family=sm.families.Binomial()).fit(maxiter=200)
            for value in (-5.0, 0.0, 5.0)
        ]
    assert max(fit.llf for fit in fits) - min(fit.llf for fit in fits) < 1e-6


def test_columns_of_either_sign_have_a_reason_together() -> None:
    text = mm.separability(mm.load("iris", positive="setosa")).summary()
    assert "  the coefficients go to infinity together: petal length (cm) is at least 3 where" in text
    assert "\n  infinite coefficients" not in text and text.count("not determined") == 1


def test_advice_is_given_where_it_helps() -> None:
    doses = pd.DataFrame({"dose": [0, 1, 2, 4, 8] * 2, "sex": ["f"] * 5 + ["m"] * 5, "died": [0, 0, 0, 1, 1] * 2})
    of_doses = mm.separability(doses, "died ~ dose + sex")
    assert "merge" not in advice(of_doses) and "exact logistic" not in advice(of_doses)
    (dose,) = (term for term in of_doses.terms or () if term.name == "dose")
    assert dose.reason == "dose is at least 4 where died=1, and at most 2 where died=0: dose alone separates them"
    text = advice(mm.separability(COHORT, "died ~ age + stage"))
    assert "exact logistic regression" in text and "ConditionalLogit" not in text and "pip install firthmodels" in text
    assert "(dropping the column stage[T.IV] merges the level with the reference, stage=I)" in text
    assert text.endswith("but no Wald test or interval\n")


def with_levels(rng: np.random.Generator, n_classes: int) -> pd.DataFrame:
    """Return rows of which some levels of two variables have one class only, often the reference."""
    n = int(rng.integers(15, 60))
    table = pd.DataFrame({"site": rng.choice(list("uvw"), n), "arm": rng.choice(list("kl"), n)})
    table["x"] = rng.integers(-3, 4, n)
    y = rng.integers(0, n_classes, n)
    for name, level in product(("site", "arm"), "uvwk"):
        rows = table[name] == level
        if rng.random() < 0.25:
            y[rows & (y == rng.integers(n_classes))] = int(rng.integers(n_classes))
    return table.assign(y=[f"c{k}" for k in y])


@cache
def answers() -> list[tuple[pd.DataFrame, mm.Separability]]:
    tables = [with_levels(np.random.default_rng(seed), n) for seed in range(30) for n in (2, 3)]
    return [(table, mm.separability(table, "y")) for table in tables if table["y"].nunique() > 1]


@pytest.mark.slow
def test_absences_are_counted_on_all_rows() -> None:
    n_seen = 0
    for table, answer in answers():
        classes = sorted(table["y"].unique())
        if answer.columns is None or answer.columns.aliased:
            continue
        found = {(*one.name.split("="), one.group, one.n_rows) for one in answer.findings.absences}
        expected = {
            (name, level, group, int((table[name] == level).sum()))
            for name in ("site", "arm")
            for level in table[name].unique()
            for group, label in enumerate(classes)
            if not ((table[name] == level) & (table["y"] == label)).any()
        }
        assert found == expected
        n_seen += len(found)
        for term in answer.terms or ():
            for one in answer.findings.absences:
                if f"with {one.name}" in term.reason:
                    (row,) = {one.n_rows}
                    assert f"{row:,} rows" in term.reason or "the only row" in term.reason
    assert n_seen > 30


@pytest.mark.slow
def test_merging_or_leaving_out_a_level_gives_overlap_where_that_is_said() -> None:
    n_seen = 0
    for table, answer in answers():
        if "the data then overlap" not in answer.summary():
            continue
        n_seen += 1
        levels = {tuple(one.name.split("=")) for one in answer.findings.absences}
        is_left = np.ones(len(table), dtype=bool)
        merged = table.copy()
        for name, level in levels:
            is_left &= table[name] != level
            mixed = [
                other
                for other in sorted(table[name].unique())
                if table.loc[table[name] == other, "y"].nunique() == table["y"].nunique()
            ]
            merged.loc[table[name] == level, name] = mixed[-1]
        assert mm.separability(merged, "y").verdict == "overlap"
        assert mm.separability(table[is_left], "y").verdict == "overlap"
    assert n_seen > 5


def test_several_classes_name_the_level_without_one() -> None:
    rng = np.random.default_rng(0)
    grades = pd.DataFrame({"site": rng.choice(["bone", "lung", "skin"], 150), "marker": rng.integers(0, 9, 150)})
    grades["grade"] = rng.choice(["low", "mid", "high"], 150)
    grades.loc[(grades["site"] == "bone") & (grades["grade"] == "low"), "grade"] = "mid"
    answer = mm.separability(grades, "grade")
    n_bone = int((grades["site"] == "bone").sum())
    said = f"none of the {n_bone} rows with site=bone, the reference level, has grade=low"
    assert {term.reason for term in answer.terms or ()} == {said}
    assert "merge site=bone with a level in which all classes occur" in advice(answer)
    rows = answer.to_frame()
    assert rows.equals(answer.to_frame("rows")) and answer.n_strict == n_bone
    of_bone = rows.loc[rows["role"] == "partly separated", "position"].tolist()
    assert of_bone == np.flatnonzero(grades["site"] == "bone").tolist()
    assert set(rows["role"]) == {"partly separated", "touching"}
    assert answer.to_dict()["partly_separated_rows"] == of_bone


def test_every_touching_row_has_that_role() -> None:
    answer = mm.separability(COHORT, "died ~ age + stage")
    rows = answer.to_frame()
    assert rows.loc[rows["role"] == "touching", "position"].tolist() == answer.touching_rows.tolist()
    assert set(answer.witness_rows) <= set(answer.touching_rows)
    assert (
        f"{len(answer.witness_rows)} rows of which alone it follows that no hyperplane has every row"
        in answer.summary()
    )
    assert "dimension" not in answer.summary() and answer.to_dict()["dimension"] == 1


def test_an_order_of_classes_that_is_not_used_is_said() -> None:
    rng = np.random.default_rng(1)
    grades = pd.DataFrame({"x": rng.integers(0, 9, 60), "grade": rng.choice(["low", "mid", "high"], 60)})
    order = pd.CategoricalDtype(["low", "mid", "high", "none"], ordered=True)
    for answer in (
        mm.separability(grades.astype({"grade": order}), "grade"),
        mm.separability(grades.astype({"grade": order}), "grade ~ x"),
        mm.separability(grades[["x"]], grades["grade"].astype(order)),
    ):
        assert "  grade: the order low < mid < high is not used: the model is multinomial" in answer.summary()
    silent = [
        mm.separability(grades, "grade"),
        mm.separability(grades.astype({"grade": order}), "grade", positive="low"),
        mm.separability(grades.astype({"grade": "category"}), "grade"),
    ]
    assert all("is not used" not in answer.summary() for answer in silent)


def test_an_answer_from_a_pickle_has_the_same_terms() -> None:
    answer = mm.separability(COHORT, f"died ~ age + {REFERENCE}")
    copy = pickle.loads(pickle.dumps(answer))
    assert copy.terms == answer.terms and copy.findings == answer.findings
    assert "have died=yes" in copy.summary() and copy.summary() == answer.summary()


# Formulas with cells, in the levels of `with_cells`.
CELLS = (
    "y ~ a * b", "y ~ C(a) * C(b) + x", "y ~ C(a):C(b)", "y ~ a * b * c", "y ~ a * b + b * c", "y ~ 0 + a:b",
    "y ~ a + a:b", "y ~ x + C(a):C(b):c", "y ~ a * b + x:a", "y ~ C(a, Sum) * b", "y ~ a / b",
)  # fmt: skip
OF_A_CELL = re.compile(
    r"(?:all (\d+) rows|the only row|none of the (\d+) rows) with (.+?) ha(?:ve|s) y(=| is not )(\w+)"
)


def with_cells(rng: np.random.Generator, n_classes: int) -> pd.DataFrame:
    """Return levels with a label, which is the same in every row of some cells."""
    levels = {"a": list("pqr"), "b": list("uv"), "c": list("kl")}
    n = int(rng.integers(15, 60))
    table = pd.DataFrame({name: rng.choice(values, n) for name, values in levels.items()})
    table = table.assign(x=rng.integers(0, 3, n), y=rng.choice(["no", "yes", "zed"][:n_classes], n))
    for _ in range(rng.integers(0, 3)):
        table.loc[(table["a"] == rng.choice(levels["a"])) & (table["b"] == rng.choice(levels["b"])), "y"] = "yes"
    return table


def rows_of(table: pd.DataFrame, words: str) -> np.ndarray:
    """Return which rows a reason or an advice is about."""
    found, last = np.ones(len(table), dtype=bool), ""
    for part in words.replace(", the reference level,", "").strip("()").split(" and "):
        name, sign, level = re.fullmatch(r"(?:(\w+)(=| other than ))?(\w+)", part).groups(last)
        last = name
        found &= (table[name] == level) == (sign == "=")
    return found


@pytest.mark.parametrize("formula", CELLS)
def test_what_is_said_of_cells_is_true(formula: str) -> None:
    n_seen = 0
    for seed in range(24):
        table = with_cells(np.random.default_rng(seed), 2 + (seed % 4 == 0))
        answer = mm.separability(table, formula)
        for term in answer.terms or ():
            if (found := OF_A_CELL.fullmatch(term.reason)) is None or "[" in found[3]:
                continue
            rows, labels = rows_of(table, found[3]), {*table["y"][rows_of(table, found[3])]}
            assert rows.sum() == int(found[1] or found[2] or 1)
            is_other = found[2] is not None or found[4] != "="
            assert (found[5] not in labels) if is_other else labels == {found[5]}
            n_seen += " and " in found[3]
        said = re.search(r"merge (.*) with a .* leave out .*: the data then overlap", answer.summary())
        if said is not None and "more" not in said[1]:
            left_out = np.any([rows_of(table, words) for words in re.split(r", (?![^(]*\))", said[1])], axis=0)
            rest = answer.details.samples.dense_rows(np.flatnonzero(~left_out))
            assert mm.separability(rest, table["y"][~left_out].to_numpy(), bias=answer.bias).verdict == "overlap"
    assert n_seen > 5 or "Sum" in formula


@pytest.mark.parametrize(
    ("formula", "level"), [("died ~ sex * stage", "sex=f"), ("died ~ C(sex):C(stage)", "sex other than m")]
)
def test_a_cell_is_named_and_where_it_is_not_the_reason_nothing_is(formula: str, level: str) -> None:
    table = pd.DataFrame({"sex": list("fm") * 12, "stage": np.repeat(["I", "II", "IV"], 8), "died": [0, 0, 1, 1] * 6})
    table.loc[(table["sex"] == "f") & (table["stage"] == "IV"), "died"] = 1
    words = f"all 4 rows with {level} and stage=IV have died=1"
    answer = mm.separability(table, formula)
    assert {term.reason for term in answer.terms or ()} == {words}
    whole = f"merge ({level} and stage=IV) with a cell in which both classes occur, or leave out its 4 rows: the data"
    assert whole in advice(answer) and "answer.finite_part()" in advice(answer)
    if "*" in formula:
        fitted = mm.check_model(smf.logit(formula, table))
        assert {term.reason for term in fitted.terms or ()} == {words.replace("sex=f", "sex other than m")}
