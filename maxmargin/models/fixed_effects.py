"""Fits of pyfixest, ``fepois`` and ``feglm``: the rows that were asked about, with a column for every fixed effect."""

from importlib import import_module
from typing import Any

import numpy as np

from maxmargin.data.reading.arrays import binary64_numbers
from maxmargin.models.fitted_results import claimed, name_of, table
from maxmargin.models.reading import ModelReading, UnansweredError, all_different, labelled_rows
from maxmargin.solvers.answers.answer_text import Names, counted
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.errors import InvalidOptionError

# Kinds of regression, by the class of the fit.
_KINDS = {"Fepois": "Poisson regression", "Felogit": "logistic regression", "Feprobit": "probit regression"}

# The package with the functions of its formulas, and what a fit has to keep.
_FORMULAS = "pyfixest.estimation.formula"
_NEEDED = ("_data", "_model_spec", "_na_index", "_context", "_coefnames")


def is_fixest(model: object) -> bool:
    """Return whether an object is a fit of pyfixest."""
    return name_of(model).startswith("pyfixest ") and hasattr(model, "_fml")


def reading_of_fixest(fit: Any, data: Any) -> ModelReading:
    """Return the question of the rows of a fit of pyfixest, with those that it left out as separated.

    pyfixest leaves out rows with missing or infinite values and, by default, rows that are alone in a level of a fixed
    effect: these are no rows of the model. It also leaves out rows that are separated, such as those of a level without
    a positive response: these are rows of the question. It does not keep them, so that `data` is needed.

    Raises
    ------
    UnansweredError
        If the rows are not known, or the likelihood is another.
    InvalidOptionError
        If `data` are not those of the fit.
    """
    kind, lost = _KINDS.get(type(fit).__name__), [name[1:] for name in _NEEDED if getattr(fit, name, None) is None]
    if kind is None:
        raise UnansweredError(f"the likelihood of {name_of(fit)} poses another question, or none that is known here")
    if lost:
        raise UnansweredError(f"the fit keeps no {lost[0]} (store_data=False, lean=True, or by another pyfixest)")
    others, separated = (np.array(sorted(rows), dtype=np.int64) for rows in (fit._na_index, fit.na_index))
    if data is None and len(separated):
        raise UnansweredError(
            f"pyfixest left out {counted(len(separated), 'row')} as separated, which belong to the question, and does "
            "not keep them; expected its data as well, check_model(model, data)"
        )
    rows = np.sort(np.r_[np.asarray(fit._data.index, dtype=np.int64), separated])
    row_names, frame = (None, fit._data) if data is None else _given(fit, data, rows, len(rows) + len(others))
    names, X = _design(fit, frame)
    response = binary64_numbers(np.ravel(_matrix(fit, "lhs", frame)), "the response")
    is_count, label = kind == _KINDS["Fepois"], str(fit._depvar)
    event, sides = f"the event is {label} = 1", ("1", "0")
    if is_count:
        event, sides = f"{label} is a count, and no estimate has a fitted mean of 0", ("1 or more", "0")
    asked = labelled_rows(X, response > 0, is_count | (response < 1), rows, sides)  # weights are positive
    coefficients, given = list(map(str, fit._coefnames)), Names(ids=row_names)
    left_out = {
        "with missing or infinite values, or alone in a level of a fixed effect": others,
        "as separated, which belong to the question, and fitted the others only": separated,
    }
    notes = ((f"pyfixest left out {counted(len(out), 'row')} {why}", out) for why, out in left_out.items() if len(out))
    return ModelReading(
        model_name=name_of(fit), kind=kind, event=event, questions={"": asked}, names=names, row_names=row_names,
        label=label, notes=tuple(given.rows_line(title, out, rest="{n} in all").strip() for title, out in notes),
        estimates=table(coefficients, fit._beta_hat), standard_errors=table(coefficients, getattr(fit, "_se", None)),
        claimed_converged=None if len(separated) else claimed(fit),
    )  # fmt: skip


def _given(fit: Any, data: Any, rows: Rows, n_rows: int) -> tuple[list[Any] | None, Any]:
    """Return the names of all rows of the data of a fit, None for numbers, and the rows of its question.

    Raises
    ------
    InvalidOptionError
        If they are not the data of the fit.
    """
    given, own = data.to_pandas() if hasattr(data, "to_pandas") else data, fit._data
    if not hasattr(given, "iloc") or len(given) != n_rows:
        raise InvalidOptionError(f"X is not the data of the fit; expected the data frame of {counted(n_rows, 'row')}")
    labels, frame = given.index.tolist(), given.reset_index(drop=True)
    columns = [column for column in frame.columns if column in own.columns]
    if not columns or not frame.loc[own.index, columns].equals(own[columns]):
        raise InvalidOptionError("X is not the data of the fit: rows that the fit keeps differ")
    return None if labels == list(range(n_rows)) else labels, frame.iloc[rows]


def _design(fit: Any, frame: Any) -> tuple[tuple[str, ...], Any]:
    """Return the columns of all levels of the fixed effects, and after them those of the formula."""
    from scipy.sparse import csr_array, hstack

    X = _matrix(fit, "rhs", frame)
    if fit._has_fixef or fit._drop_intercept:
        X = X.drop(columns="Intercept", errors="ignore")
    effects = fit._fixef.replace(" ", "").split("+") if fit._has_fixef else []
    lost = {*fit._coefnames, *"^".join(effects).split("^")} - {"", *X.columns, *frame.columns}
    if lost or len(X) != len(frame):
        raise UnansweredError(f"its data do not make {' and '.join(sorted(lost)) or 'all rows'} again")
    names, parts = list(map(str, X.columns)), [csr_array(binary64_numbers(X.to_numpy(), "the columns of the formula"))]
    for effect in reversed(effects):
        first, *others = effect.split("^")
        joined = frame[first].astype(str).str.cat(frame[others].astype(str), sep="^") if others else frame[first]
        codes, levels = joined.factorize()
        names = [f"{effect}={level}" for level in levels.tolist()] + names
        parts = [csr_array((np.ones(len(codes)), (np.arange(len(codes)), codes))), *parts]
    return all_different(names), hstack(parts, format="csr")


def _matrix(fit: Any, side: str, frame: Any) -> Any:
    """Return what one side of the formula makes of rows, with the state that it had in the fit."""
    spec = fit._model_spec["second_stage"][side]
    # The state of i() leaves its reference out, so that it cannot be used twice.
    state = {factor: found for factor, found in spec.encoder_state.items() if not factor.startswith("i(")}
    try:
        own = {"log": ("utils", "log"), "i": ("factor_interaction", "factor_interaction")}
        context = {name: getattr(import_module(f"{_FORMULAS}.{file}"), call) for name, (file, call) in own.items()}
        return spec.update(encoder_state=state).get_model_matrix(frame, context=context | dict(fit._context))
    except Exception as error:  # of formulaic, and of functions of any kind
        raise UnansweredError(f"its formula cannot be evaluated again ({type(error).__name__})") from error
