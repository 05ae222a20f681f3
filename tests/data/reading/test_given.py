"""What verbs are given: arrays, data frames with the name of a column or a formula, and data sets."""

import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from calls import VERBS
from cases import for_each

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError

PATIENTS = pd.DataFrame(
    {
        "age": [50, 60, 70, 20, 33, 60, 60],
        "stage": ["I", "II", "IV", "I", "IV", "I", "I"],
        "died": ["yes", "no", "yes", "no", "yes", "no", "yes"],
    },
    index=list("abcdefg"),
)
NUMBERS = PATIENTS.assign(stage=[1.0, 2, 4, 1, 4, 1, 1])
X, Y = NUMBERS[["age", "stage"]].to_numpy(), NUMBERS["died"].to_numpy()

# Ends of the names of fields that speak by name.
NAMED = ("_ids", "infinite_columns", "finite_columns", "aliased_columns", "terms")


def numbers_of(answer: Any) -> dict[str, Any]:
    """Return the fields of an answer that do not depend on names."""
    return {name: value for name, value in answer.to_dict().items() if not name.endswith(NAMED)}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("verb", VERBS)
def test_the_same_answer_however_the_data_are_given(verb: str) -> None:
    ask = VERBS[verb]
    expected = numbers_of(ask(X, Y))
    series = NUMBERS[["age", "stage"]], NUMBERS["died"]
    polars, arrow = pl.from_pandas(NUMBERS), pa.Table.from_pandas(NUMBERS, preserve_index=False)
    dataset = mm.load(NUMBERS, label="died")
    others = (NUMBERS, "died"), (polars, "died"), (arrow, "died"), (dataset,), (NUMBERS, "died ~ age + stage")
    for data in (series, *others):
        assert numbers_of(ask(*data)) == expected, data


def test_a_report_and_a_proof_take_all_of_it() -> None:
    answer = mm.separability(PATIENTS, "died ~ age + C(stage)")
    assert mm.verify(answer.certificate, PATIENTS, "died ~ age + C(stage)")
    assert mm.verify(answer.certificate, PATIENTS, "died")  # coded alike
    with pytest.raises(mm.CertificateError, match="row 0 is not 3 finite numbers"):
        mm.verify(answer.certificate, PATIENTS, "died ~ age")
    with pytest.raises(InvalidProblemError, match="its own labels"):
        mm.verify(answer.certificate, mm.load("iris"), "died")
    report = mm.margin_report(NUMBERS, "died", Cs=[1.0], orders=0).to_dict()
    assert report["data"]["feature_names"] == ["age", "stage"]
    iris = mm.load("iris", positive="setosa")
    assert mm.verify(mm.separability(iris).certificate, iris)


def test_rows_keep_their_labels() -> None:
    frame = PATIENTS.drop(index=["b", "f"])
    rows = mm.separability(frame, "died").to_frame("rows")
    assert list(rows.columns) == ["position", "id", "role"] and rows["position"].tolist() == [0, 1, 2, 3, 4]
    assert rows["id"].tolist() == ["a", "c", "d", "e", "g"]
    assert mm.separability(frame[["age"]], frame["died"].tolist()).names.ids == list("acdeg")
    assert mm.separability(frame[["age"]].to_numpy(), frame["died"]).names.ids == list("acdeg")
    assert mm.separability(PATIENTS.reset_index(drop=True), "died").names.ids is None
    assert mm.separability(PATIENTS.set_axis([3, 4, 5, 6, 7, 8, 9]), "died").names.ids == [3, 4, 5, 6, 7, 8, 9]


def test_dates_and_tuples_name_rows() -> None:
    days = PATIENTS.set_axis(pd.date_range("2024-01-01", periods=7))
    answer = mm.separability(days, "died")
    assert answer.to_frame("rows")["id"].tolist() == list(days.index)
    assert answer.to_dict()["separated_rows_ids"][0] == "2024-01-02 00:00:00"
    pairs = PATIENTS.set_axis(pd.MultiIndex.from_product([[1], range(7)]))
    assert mm.separability(pairs, "died").to_frame("rows")["id"].tolist()[:2] == [(1, 0), (1, 1)]


def test_rows_of_a_file_are_those_of_the_file(tmp_path: Any) -> None:
    text = "id,age,died\n" + "".join(f"p{i},{age},{died}\n" for i, (age, died) in enumerate(
        [(50, "yes"), ("", "no"), (20, "no"), ("", "yes"), (70, "yes")]
    ))  # fmt: skip
    (tmp_path / "patients.csv").write_text(text)
    data = mm.load(tmp_path / "patients.csv", id="id", drop_missing=True)
    rows = mm.separability(data).to_frame("rows")
    assert rows["position"].tolist() == [0, 2, 4] and rows["id"].tolist() == ["p0", "p2", "p4"]
    assert mm.hard_margin(data).to_dict()["support"] == [0, 2]


@pytest.mark.parametrize(
    "convert", [lambda f: f, pl.from_pandas, lambda f: pa.Table.from_pandas(f, preserve_index=False)]
)
def test_frames_are_of_the_library_of_the_caller(convert: Callable[[pd.DataFrame], Any]) -> None:
    frame = convert(PATIENTS)
    answer = mm.separability(frame, "died")
    for of in ("rows", "columns"):
        assert type(answer.to_frame(of)) is type(frame)
    assert type(answer.finite_part().to_frame()) is type(frame)
    with pytest.raises(InvalidOptionError, match="expected 'rows' or 'columns'"):
        answer.to_frame("cells")


@for_each("verb", VERBS)
def test_every_answer_makes_frames_and_keeps_them_in_a_pickle(verb: str) -> None:
    answer = VERBS[verb](NUMBERS, "died")
    if not hasattr(answer, "to_frame"):
        return
    copy = pickle.loads(pickle.dumps(answer))
    for of in ("rows", "columns"):
        pd.testing.assert_frame_equal(copy.to_frame(of), answer.to_frame(of))
    assert set(answer.to_frame("rows")["id"]) <= set(NUMBERS.index)


def test_weights_have_names() -> None:
    columns = mm.hard_margin(pd.DataFrame({"dose": [1.0, 3.0]}), [0, 1]).to_frame("columns")
    assert columns["name"].tolist() == ["dose", "(Intercept)"] and columns["weight"].tolist() == [1.0, -2.0]


def test_a_column_of_this_name_comes_before_a_formula() -> None:
    frame = PATIENTS.rename(columns={"died": "died ~ age"})
    answer = mm.separability(frame, "died ~ age")
    assert answer.n_features == 3 and answer.names.label == "died ~ age"


def test_categories_are_coded_as_a_model_does() -> None:
    answer = mm.separability(PATIENTS, "died")
    assert answer.names.columns == ("age", "stage=II", "stage=IV")
    assert answer.names.notes == (
        "column 'stage' became 2 columns of 0 and 1; level 'I' is left out as the reference: all of them are 0 there",
    )
    assert "level 'I' is left out" in answer.summary()
    without = mm.separability(PATIENTS, "died", bias=False)
    assert without.names.columns == ("age", "stage=I", "stage=II", "stage=IV")
    declared = PATIENTS.assign(stage=pd.Categorical(PATIENTS["stage"], categories=["IV", "I", "II", "none"]))
    assert mm.separability(declared, "died").names.columns == ("age", "stage=I", "stage=II")
    listed = pl.from_pandas(PATIENTS).with_columns(pl.col("stage").cast(pl.Enum(["IV", "II", "I"])))
    assert mm.separability(listed, "died").names.columns == ("age", "stage=II", "stage=I")
    by_formula = mm.separability(PATIENTS, "died ~ age + C(stage)")
    assert by_formula.names.columns == ("age", "C(stage)[T.II]", "C(stage)[T.IV]")
    assert list(by_formula.infinite_columns.values()) == list(answer.infinite_columns.values())


def test_texts_that_are_no_levels_are_refused() -> None:
    frame = pd.DataFrame({"name": [f"patient {i}" for i in range(8)], "age": range(8)})
    with pytest.raises(InvalidProblemError, match="nearly different texts separate anything; leave it out of X"):
        mm.separability(frame, [0, 1] * 4)
    with pytest.raises(InvalidProblemError, match="row 2, column 'c': found a missing value"):
        mm.separability(pd.DataFrame({"c": ["u", "v", None, "u"]}), [0, 1, 1, 0])


@for_each("data, options, said", [
    ((PATIENTS, "dies"), {}, r"y is 'dies'; expected one of the columns .* \(did you mean 'died'\?\)"),
    ((X, "died"), {}, "X is no data frame"),
    ((PATIENTS, "died ~ age"), {"bias": False}, "the formula 'died ~ age' has an intercept"),
    ((PATIENTS, "died ~ 0 + age"), {"bias": True}, "has no intercept"),
    ((PATIENTS, "died"), {"bias": "yes"}, "bias is 'yes'; expected True or False"),
    ((PATIENTS.assign(age=[2**53 + 1] * 7), "died"), {}, r"9007199254740993.*binary64"),
    ((PATIENTS.assign(age=[2**53 + 1] * 7), "died ~ age"), {}, r"9007199254740993.*binary64"),
    ((PATIENTS.assign(age=[Decimal("0.1")] * 7), "died ~ age"), {}, "holds numbers that binary64 does not hold"),
    ((PATIENTS.assign(age=[None, 1, 2, 3, 4, 5, 6]), "died ~ age"), {}, "column 'age' has a missing value in row 0"),
])  # fmt: skip
def test_what_cannot_be_asked_is_refused(data: tuple[Any, ...], options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidProblemError, match=said):
        mm.separability(*data, **options)


@for_each("verb", [mm.separability, mm.margin_report, mm.trust])
def test_rows_without_labels_and_a_dataset_beside_others_are_refused(verb: Callable[..., Any]) -> None:
    with pytest.raises(InvalidProblemError, match=r"y is None; expected the labels of the rows, .*or a Dataset"):
        verb(X)
    with pytest.raises(InvalidProblemError, match="a Dataset, which has its own labels"):
        verb(mm.load("agresti"), [0, 1])


def test_the_formula_decides_the_bias() -> None:
    assert mm.separability(PATIENTS, "died ~ age").bias and not mm.separability(PATIENTS, "died ~ age - 1").bias
    assert mm.hard_margin(PATIENTS, "died ~ 0 + age").bias is False
    assert mm.perceptron(PATIENTS, "died ~ age", max_epochs=1, bias=True).bias


def test_generated_data_are_a_data_set() -> None:
    made = mm.generate("xor")
    answer = mm.separability(made)
    assert answer.verdict is mm.Verdict.OVERLAP and answer.certificate is not None
    assert mm.verify(answer.certificate, made) and mm.verify(answer.certificate, made.X, made.y)
    with pytest.raises(mm.InvalidProblemError, match="has its own labels"):
        mm.perceptron(made, made.y)


def test_a_data_set_takes_another_positive_class() -> None:
    answer = mm.separability(mm.load("iris"), positive="virginica")
    assert (answer.positive, answer.negative, answer.positive_reason) == ("virginica", "rest", "as chosen")
    assert answer.verdict == mm.separability(mm.load("iris", positive="virginica")).verdict
    assert mm.require(mm.load("iris", positive="virginica")).verdict == "overlap"


def test_more_than_two_classes_have_a_formula_too() -> None:
    iris = mm.load("iris")
    frame = pd.DataFrame(iris.X, columns=["a", "b", "c", "d"]).assign(species=iris.labels)
    whole = mm.separability(frame, "species ~ a + b + c + d")
    assert whole.verdict == mm.separability(iris).verdict and whole.class_names == iris.classes
    assert next(iter(whole.infinite_columns)) == "versicolor: (Intercept)"


@pytest.mark.parametrize("is_named", [False, True])
def test_texts_call_rows_as_the_data_do(is_named: bool) -> None:
    rows = [[0.0], [1.0], [2.0], [3.0], [4.0], [9.0]]
    X = pd.DataFrame(rows, index=list("abcdef")) if is_named else rows
    c, d, f = (": c", "d\n", ": f\n") if is_named else (" (from 0): 2", "3\n", " (from 0): 5\n")
    assert f"support rows{c}, {d}" in mm.hard_margin(X, [0, 0, 0, 1, 1, 1]).summary()
    assert f"rows that are errors{f}" in mm.judge(X, [0, 0, 0, 1, 1, 0], [1.0], -2.5).summary()
    assert f"row to drop so that the rest is separable{f}" in mm.fewest_errors(X, [0, 0, 0, 1, 1, 0]).summary()


@pytest.mark.parametrize("frame, said", [
    (pd.DataFrame({"y": [0, 1]}), "X has no column but 'y'"),
    (pd.DataFrame({"y": [0, 0, 1, 1], "g": list("abab"), "g=b": [0.0, 0, 1, 1]}), "several columns named 'g=b'"),
    (pd.DataFrame({"y": [], "g": pd.Series([], dtype=str)}), "no value in any row"),
    (pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("y", "b"), ("y", "c")])), "have several levels"),
    (pd.DataFrame({"y": [0, 1], "c": pd.Categorical([1, "1"], categories=[1, "1"])}), "several levels '1', expec"),
])  # fmt: skip
def test_frames_whose_columns_are_not_clear_are_refused(frame: pd.DataFrame, said: str) -> None:
    with pytest.raises(InvalidProblemError, match=said):
        mm.separability(frame, "y")


def test_a_dictionary_of_arrow_in_pandas_has_levels() -> None:
    levels = pd.Series(list("aabb"), dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))
    frame = pd.DataFrame({"y": [0, 1, 1, 1], "g": levels})
    assert mm.separability(frame, "y").infinite_columns == {"g=b": "+"}
    assert mm.separability(frame, "y ~ g").infinite_columns == {"g[T.b]": "+"}


def test_a_column_called_as_the_intercept_has_a_name_of_its_own() -> None:
    frame = pd.DataFrame({"y": [0, 0, 1, 1], "(Intercept)": [0.0, 0, 1, 1]})
    answer = mm.separability(frame, "y")
    assert answer.infinite_columns == {"(Intercept)": "-", "(Intercept) (column 0)": "+"}
    assert [term.name for term in answer.terms or ()] == list(answer.infinite_columns)


@pytest.mark.parametrize("asked", ["died", "died ~ age + stage"])
def test_names_of_numpys_own_text_type_are_texts_in_proofs(asked: str) -> None:
    answer = mm.separability(NUMBERS, np.str_(asked))
    assert mm.verify(answer.certificate, NUMBERS, asked)


def test_a_zero_has_no_sign_in_reasons() -> None:
    answer = mm.separability(pd.DataFrame({"x": [2.0, 3.0, -0.0, -0.0], "y": [1, 1, 0, 0]}), "y")
    reason = next(term.reason for term in answer.terms or () if term.name == "x")
    assert reason.startswith("x is at least 2 where y=1, and at most 0 where y=0")
