"""Why coefficients are infinite, in words that are true, and the part of the data that stays finite."""

import re
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError


def quasi(rng: np.random.Generator, n: int = 25) -> tuple[pd.DataFrame, np.ndarray]:
    """Return small whole numbers and indicators, often separated by a few of the columns only."""
    X = pd.DataFrame(rng.integers(-2, 3, size=(n, 2)), columns=["a", "b"])
    X["rare"] = (rng.random(n) < 0.15).astype(float)
    X["group"] = rng.choice(["u", "v", "w"], n)
    scores = X["a"] + rng.integers(-3, 4, size=n)
    y = np.where(scores + 9 * X["rare"] > 0, "yes", "no")
    y[:2] = "yes", "no"
    return X, y


@cache
def samples() -> list[tuple[pd.DataFrame, np.ndarray, mm.Separability]]:
    rng = np.random.default_rng(7)
    found = []
    for _ in range(40):
        X, y = quasi(rng, int(rng.integers(8, 30)))
        found.append((X, y, mm.separability(X, y)))
    return found


def matrix(X: pd.DataFrame, answer: mm.Separability) -> dict[str, np.ndarray]:
    """Return the columns that the answer names."""
    coded = {f"group={level}": (X["group"] == level).to_numpy(float) for level in "uvw"}
    columns = {**{name: X[name].to_numpy(float) for name in ("a", "b", "rare")}, **coded}
    return {name: columns[name] for name in answer.names.columns}


def test_the_samples_are_of_all_kinds() -> None:
    assert {answer.verdict.value for *_, answer in samples()} == {"separable", "quasi-separable", "overlap"}


def test_every_infinite_term_has_a_reason() -> None:
    for *_, answer in samples():
        terms = answer.terms
        assert {term.name: term.sign for term in terms} == answer.infinite_columns
        assert all(term.reason for term in terms)
        table = answer.to_frame("columns")
        named = {*answer.infinite_columns, *answer.finite_columns, *answer.aliased_columns}
        assert set(table["name"]) == set(map(str, named)) and len(table) == len(named)


def test_reasons_about_indicators_are_true() -> None:
    """Rows that are counted as having, or not having, what a term indicates all have the label that is stated."""
    n_seen = 0
    for X, y, answer in samples():
        columns = matrix(X, answer)
        for term in answer.terms or ():
            for count, other, name, label in re.findall(
                r"(all [\d,]+ rows|the only row) with (not )?(\S+?)(?: = 1| = 0)? ha(?:s|ve) y=(yes|no)", term.reason
            ):
                value = 0.0 if other or f"{name} = 0" in term.reason.partition(count)[2].partition(" ha")[0] else 1.0
                rows = columns[name] == value
                assert set(y[rows]) == {label}
                assert rows.sum() == (1 if "only" in count else int(count.split()[1].replace(",", "")))
                n_seen += 1
    assert n_seen > 20


def test_combinations_are_true_inequalities() -> None:
    n_seen = 0
    for X, y, answer in samples():
        columns = matrix(X, answer)
        for term in answer.terms or ():
            found = re.fullmatch(
                r"(.*) is (above|at least) (\S+) where y=(yes|no), and (below|at most) (\S+) where .*", term.reason
            )
            if found is None or not term.is_combined:
                continue
            total = np.zeros(len(y))
            for sign, weight, name in re.findall(r"(?:^|\s)([-+]?) ?(?:(\d+) )?([A-Za-z]\S*)", found[1]):
                total += (-1 if sign == "-" else 1) * float(weight or 1) * columns[name]
            threshold, inside = float(Fraction(found[3])), y == found[4]
            if found[2] == "above":
                assert total[inside].min() > threshold > total[~inside].max()
            else:
                assert total[inside].min() >= threshold >= total[~inside].max()
                on_it = total == threshold
                assert set(np.flatnonzero(on_it)) == set(answer.touching_rows.tolist())
            n_seen += 1
    assert n_seen > 10


def test_a_finite_part_overlaps_and_has_no_aliased_column() -> None:
    for X, y, answer in samples():
        part = answer.finite_part()
        assert part.rows.tolist() == answer.touching_rows.tolist()
        assert part.y.tolist() == (y[part.rows] == "yes").astype(int).tolist()
        columns = matrix(X, answer)
        assert all(np.array_equal(part.X[:, j], columns[name][part.rows]) for j, name in enumerate(part.columns))
        if not len(part.rows):
            assert answer.verdict == "separable" and not part.columns
            continue
        if part.columns or part.has_intercept:
            design = part.X if not part.has_intercept else np.column_stack([np.ones(len(part.y)), part.X])
            again = mm.separability(design, part.y, bias=False)
            assert again.verdict == "overlap" and not again.aliased_columns
        assert not set(answer.finite_columns) - {"(Intercept)", *part.columns}


def log_likelihood(design: np.ndarray, y: np.ndarray, v: np.ndarray) -> float:
    return -float(np.logaddexp(0, -(2 * y - 1) * (design @ v)).sum())


def greatest(design: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    found = minimize(lambda v: -log_likelihood(design, y, v), np.zeros(design.shape[1]), method="BFGS", tol=1e-12)
    return -found.fun, found.x


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_the_likelihood_of_the_finite_part_is_the_supremum() -> None:
    """Geyer (2009): separated rows contribute nothing at the supremum; finite terms have the limit of the estimate."""
    n_seen = 0
    for X, y, answer in samples()[:25]:
        if answer.verdict != "quasi-separable":
            continue
        part, columns = answer.finite_part(), matrix(X, answer)
        ones = {"(Intercept)": np.ones(len(y))}
        kept = [*(["(Intercept)"] if part.has_intercept else []), *part.columns]
        small, limit = greatest(np.column_stack([{**ones, **columns}[name][part.rows] for name in kept]), part.y)
        design = np.column_stack([*ones.values(), *columns.values()])
        whole, found = greatest(design, (y == "yes").astype(int))
        assert whole <= small + 1e-6 and whole >= small - 0.05
        for name in set(answer.finite_columns) & set(kept):
            assert found[["(Intercept)", *columns].index(name)] == pytest.approx(limit[kept.index(name)], abs=0.1)
        n_seen += 1
    assert n_seen >= 5


def test_exact_numbers_have_exact_thresholds() -> None:
    from decimal import Decimal

    frame = pd.DataFrame({"dose": [Decimal("0.1"), Decimal("0.3"), Decimal("0.3000000000000000000001")]})
    (term,) = [term for term in mm.separability(frame, [0, 0, 1]).terms if term.name == "dose"]
    assert "3000000000000000000001/10000000000000000000000 where y=1, and at most 3/10 where y=0" in term.reason


def test_classes_of_many_have_reasons() -> None:
    X = pd.DataFrame({"dose": [1.0, 2.0, 3.0, 3.0, 4.0, 4.0], "age": [1.0, 5.0, 2.0, 4.0, 3.0, 1.0]})
    answer = mm.separability(X, ["a", "a", "b", "c", "b", "c"])
    reasons = {term.name: term.reason for term in answer.terms}
    expected = "dose is at least 3 where y is not a, and at most 2 where y=a: dose alone separates them"
    assert reasons["b: dose"] == expected
    with pytest.raises(InvalidOptionError, match="two classes"):
        answer.finite_part()


@pytest.mark.parametrize("unit", [2.0**-1000, 1.0, 2.0**900])
def test_units_change_no_reason(unit: float) -> None:
    X = np.array([[1.0, 0.0], [2.0, 1.0], [4.0, 0.0], [5.0, 1.0], [2.0, 0.0]]) * unit
    signs = [term.sign for term in mm.separability(X, [0, 0, 1, 1, 0]).terms]
    assert signs == [term.sign for term in mm.separability(X / unit, [0, 0, 1, 1, 0]).terms]


def test_what_next_fits_the_verdict() -> None:
    def steps(X: Any, y: Any) -> str:
        return mm.separability(X, y).summary().partition("what next")[2].partition("  found by")[0]

    assert "answer.finite_part()" in steps([[1.0], [2.0], [2.0], [4.0]], [0, 0, 1, 1])
    assert "hard_margin" in steps([[1.0], [4.0]], [0, 1]) and "finite_part" not in steps([[1.0], [4.0]], [0, 1])
    assert not steps([[1.0], [2.0], [1.0], [2.0]], [0, 1, 1, 0])
    several = steps([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    assert "brmultinom" in several and "Firth" not in several
