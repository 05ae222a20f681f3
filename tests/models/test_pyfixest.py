"""Fits of pyfixest: their rows, with those that it drops as separated, and a column for every fixed effect."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError

pf = pytest.importorskip("pyfixest", reason="pyfixest is not installed: pip install pyfixest")
pytestmark = pytest.mark.filterwarnings("ignore")  # rows that are dropped


def data() -> pd.DataFrame:
    """Return counts that are all 0 where f is 3, a row with a missing value, and one that is alone in its level."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"y": rng.poisson(1.0, 60), "x": rng.normal(size=60), "f": rng.integers(0, 6, 60)})
    table = table.assign(g=rng.choice(list("abcd"), 60), h=rng.choice(list("uv"), 60), w=rng.random(60) + 0.1)
    table.loc[table["f"] == 3, "y"] = 0
    table.loc[59, "f"] = 99
    table = table.assign(b=(table["y"] > 0).astype(int)).set_axis([f"P{row}" for row in range(60)])
    table.loc["P5", "x"] = np.nan
    return table


DATA = data()
SEPARATED = np.flatnonzero((DATA["f"] == 3) & DATA["x"].notna())
KEPT = np.flatnonzero((DATA["f"] != 99) & DATA["x"].notna())
FITS: dict[str, Callable[[], Any]] = {
    "y ~ x + C(g) | f": lambda: pf.fepois("y ~ x + C(g) | f", DATA),
    "y ~ x | f + h": lambda: pf.fepois("y ~ x | f + h", DATA, weights="w"),
    "y ~ x + log(w) | f": lambda: pf.fepois("y ~ x + log(w) | f", DATA, separation_check=["fe", "ir"]),
    "y ~ i(g, ref='b') + x | f": lambda: pf.fepois("y ~ i(g, ref='b') + x | f", DATA),
    "b ~ x | f": lambda: pf.feglm("b ~ x | f", DATA, family="logit"),
    "b ~ x + x:h | f": lambda: pf.feglm("b ~ x + x:h | f", DATA, family="probit"),
}  # fmt: skip


def dense_question(formula: str) -> mm.Separability:
    """Return the answer before a fit for the same rows, with fixed effects as levels."""
    for effect, term in (("i(g, ref='b')", "C(g)"), ("| f + h", "+ C(f) + C(h)"), ("| f", "+ C(f)")):
        formula = formula.replace(effect, term)
    return mm.separability(DATA.iloc[KEPT], formula, family="poisson" if formula.startswith("y") else "binomial")


@pytest.mark.parametrize("name", FITS)
def test_separated_rows_belong_to_the_question_and_need_the_data(name: str) -> None:
    fit = FITS[name]()
    alone = mm.check_model(fit)
    assert alone.verdict == "undecided" and "does not keep them" in alone.reason and alone.claimed_converged
    check = mm.check_model(fit, DATA)
    assert mm.verify(check.certificate, check.rows, check.labels)
    assert check.verdict == dense_question(name).verdict == "quasi-separable" and check.infinite == {"f=3": "-"}
    assert check.separated_rows.tolist() == SEPARATED.tolist() and np.unique(check.positions).tolist() == KEPT.tolist()
    assert {*check.estimates} <= {*check.finite} and check.estimates == fit.coef().to_dict()
    assert check.converged_is_true is None
    text, left_out = check.summary(), ", ".join(DATA.index[SEPARATED])
    assert f"separated, which belong to the question, and fitted the others only: {left_out}" in text
    assert "alone in a level of a fixed effect: P5, P59\n" in text
    assert f"all {len(SEPARATED)} rows with f=3 have {name[0]}=0" in text


def test_a_fit_without_separated_rows_has_its_data_with_it() -> None:
    rest = DATA[DATA["f"] != 3].reset_index(drop=True)
    fit = pf.fepois("y ~ x | f", rest)
    check, given = mm.check_model(fit), mm.check_model(fit, rest)
    assert check.verdict == given.verdict == "overlap" and check.converged_is_true is True
    assert np.array_equal(check.rows.toarray(), given.rows.toarray())
    one_sided = pf.feglm("b ~ x | f", rest.assign(b=np.where(rest["f"] == 2, 1, rest["b"])), family="logit")
    check = mm.check_model(one_sided)  # pyfixest drops levels of zeros only
    assert check.infinite == {"f=2": "+"} and (check.claimed_converged, check.converged_is_true) == (True, False)


def test_polars_missing_data_and_other_models() -> None:
    table = pl.from_pandas(DATA.reset_index(drop=True))
    fit = pf.fepois("y ~ x | f", table)
    assert mm.check_model(fit, table).separated_rows.tolist() == SEPARATED.tolist()
    for others in (DATA[::-1], DATA[:9], DATA[["w"]].rename(columns={"w": "v"}), DATA.to_numpy()):
        with pytest.raises(InvalidOptionError, match="not the data of the fit"):
            mm.check_model(fit, others)
    with pytest.raises(InvalidOptionError, match="expected no y"):
        mm.check_model(fit, DATA, "y")
    undecided = {
        "keeps no data": pf.fepois("y ~ x | f", DATA, store_data=False), "Feols": pf.feols("y ~ x", DATA),
        "Fegaussian": pf.feglm("b ~ x | f", DATA, family="gaussian"),
    }  # fmt: skip
    for words, other in undecided.items():
        check = mm.check_model(other)
        assert check.verdict == "undecided" and words in check.reason
