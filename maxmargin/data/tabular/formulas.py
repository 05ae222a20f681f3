"""Formulas such as ``died ~ age + C(stage)``: the features, the labels and the intercept that they state."""

import ast
import re
import warnings
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

from maxmargin.data.arrays import LEAVE_ROWS_OUT
from maxmargin.data.formats.frames import column_of, columns_of
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.text.data_error import DataError, listed, nearest, quote

_FUNCTIONS = frozenset(
    {
        "C", "I", "Q", "Treatment", "Sum", "Helmert", "Diff", "Poly", "log", "log2", "log10", "exp", "exp2", "exp10",
        "center", "scale", "standardize", "poly", "bs", "cc", "cr", "cs",
    }
)  # fmt: skip
"""Functions that a formula may call."""

_MEMBERS = {
    "np": frozenset(
        {"abs", "cbrt", "ceil", "cos", "exp", "expm1", "floor", "log", "log10", "log1p", "log2", "maximum", "minimum"}
        | {"round", "sign", "sin", "sqrt", "square", "tan", "tanh"}
    ),
    "contr": frozenset({"SAS", "diff", "helmert", "poly", "sum", "treatment"}),
}
"""Members of modules that a formula may call."""

_SYNTAX = (
    ast.Expression, ast.Call, ast.keyword, ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare,
    ast.BoolOp, ast.List, ast.Tuple, ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
)  # fmt: skip
"""What the Python in a formula may consist of: it may come from a proof file, so it cannot do anything but compute."""

_QUOTED_NAME = re.compile("`[^`]*`")

_PLACEHOLDER = "_quoted_"
"""In place of a quoted name, which is no Python."""


class Modelled(NamedTuple):
    """The features and the labels of a model, before they are turned into numbers and classes.

    `features` has no intercept. What a formula makes of a data frame is a pandas data frame, coded as the formula
    states; `labels` is then the column of the response, or the values of its expression, and `notes` say which level of
    each categorical term has no column.
    """

    features: Any
    labels: Any
    has_intercept: bool
    label_name: str | None = None
    notes: tuple[str, ...] = ()


def read_formula(formula: str, frame: Any) -> Modelled:
    """Return what a formula makes of a data frame.

    Parameters
    ----------
    formula : str
        In the notation of R and of formulaic. It may use the functions that `_FUNCTIONS` and `_MEMBERS` list. The
        values of functions are rounded to binary64, and answers are about the rounded numbers.
    frame : data frame
        With a value in every row of the columns that the formula names.

    Raises
    ------
    InvalidProblemError
        If the formula cannot be read, or the data frame does not have what it names.
    """
    parsed = _parsed(formula, column_names(frame))
    _check_safe(formula, _factors(parsed))
    table = _pandas_of(frame, _variables(parsed), formula)
    features = _matrix(formula, parsed.rhs, _with_levels(table, parsed.rhs))
    intercept = [j for term, places in features.model_spec.term_indices.items() if str(term) == "1" for j in places]
    if features.shape[1] == len(intercept):
        raise _refused(formula, "it has no term but the intercept; expected one at least")
    return Modelled(
        features=features.drop(columns=features.columns[intercept]),
        labels=_response(formula, parsed.lhs, table),
        has_intercept=bool(intercept),
        notes=_omitted_levels(features),
    )


def _with_levels(table: Any, part: Any) -> Any:
    """Return the table with columns of True and False as categories, as which R and statsmodels code them.

    Those in arithmetic stay numbers.
    """
    import pandas as pd

    factors = (factor for term in part for factor in term.factors if not factor.expr.startswith("C("))
    in_arithmetic = {name for factor in factors if _nodes(factor) for name in _names_in(factor)}
    levels = pd.CategoricalDtype([False, True])
    of_bools = [name for name in table.columns if table[name].dtype.kind == "b" and name not in in_arithmetic]
    return table.astype(dict.fromkeys(of_bools, levels))


def variables_of(formula: str, frame: Any) -> tuple[str, ...]:
    """Return the columns of a data frame that a formula names.

    Raises
    ------
    InvalidProblemError
        If the formula cannot be read, or names a column that is not there.
    """
    return _variables(_parsed(formula, column_names(frame)))


def _omitted_levels(features: Any) -> tuple[str, ...]:
    """Return notes that say which level of each categorical term has no column."""
    notes = []
    for factor, (_, state) in features.model_spec.encoder_state.items():
        levels = state.get("categories", ())
        coded = {level for level in levels if f"{factor}[T.{level}]" in features.columns}
        left_out = [str(level) for level in levels if level not in coded]
        if coded and left_out:
            notes.append(
                f"{factor}: level {listed(left_out)} is left out as the reference: all its columns are 0 there"
            )
    return tuple(notes)


def _parsed(formula: str, columns: Sequence[str]) -> Any:
    if find_spec("formulaic") is None:
        raise InvalidOptionError(
            f"{quote(formula)} is a formula, which needs formulaic; install it with pip install 'maxmargin[formula]'"
        )
    from formulaic import Formula
    from formulaic.errors import FormulaicError

    try:
        parsed: Any = Formula.from_spec(formula, context={"__formulaic_variables_available__": list(columns)})
    except (FormulaicError, SyntaxError, ValueError) as error:
        raise _refused(formula, _first_line(error)) from error
    if not hasattr(parsed, "lhs") or not hasattr(parsed, "rhs") or len(list(parsed.lhs)) != 1:
        raise _refused(formula, "expected one response on its left, as in 'y ~ x'")
    if not all(hasattr(term, "factors") for term in (*parsed.lhs, *parsed.rhs)):
        raise _refused(formula, "it has several parts; expected one on either side of ~")
    try:
        names = _variables(parsed)
    except SyntaxError as error:
        raise _refused(formula, _first_line(error)) from error
    unknown = [name for name in names if name not in columns]
    if unknown:
        hint = nearest(unknown[0], columns)
        found = f"there is no column {quote(unknown[0])}; expected some of {listed(columns)}"
        raise _refused(formula, f"{found}{f' ({hint})' if hint else ''}")
    return parsed


def _factors(parsed: Any) -> list[Any]:
    return [factor for term in (*parsed.lhs, *parsed.rhs) for factor in term.factors]


def _nodes(factor: Any) -> list[ast.AST]:
    """Return the syntax of a factor in Python, with a placeholder for quoted names; nothing for other factors."""
    if not str(factor.eval_method).endswith("PYTHON"):
        return []
    return list(ast.walk(ast.parse(_QUOTED_NAME.sub(_PLACEHOLDER, factor.expr).strip(), mode="eval")))


def _variables(parsed: Any) -> tuple[str, ...]:
    """Return the columns that a formula names, also those in calls of ``scale``, which formulaic leaves out."""
    return tuple(sorted(set().union(*map(_names_in, _factors(parsed)))))


def _names_in(factor: Any) -> set[str]:
    nodes = _nodes(factor)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    found = (node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in called)
    names = {name for name in found if name not in _MEMBERS and name != _PLACEHOLDER}
    quoted = {name.strip("`") for name in _QUOTED_NAME.findall(factor.expr) if nodes}
    return {*map(str, factor.required_variables)} | names | quoted


def _check_safe(formula: str, factors: Iterable[Any]) -> None:
    """Refuse Python other than arithmetic, comparisons and calls of the functions that are listed."""
    for node in (node for factor in factors for node in _nodes(factor)):
        if not (isinstance(node, _SYNTAX) or _is_member(node)) or not _is_allowed_call(node):
            expected = f"arithmetic, comparisons and calls of {', '.join(sorted(_FUNCTIONS))} or np.log"
            raise _refused(formula, f"it uses {quote(ast.unparse(node))}; expected {expected} and the like")


def _is_member(node: ast.AST) -> bool:
    is_named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return is_named and node.attr in _MEMBERS.get(node.value.id, ())  # type: ignore[attr-defined]


def _is_allowed_call(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return True
    return _is_member(node.func) or (isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS)


def _pandas_of(frame: Any, variables: Sequence[str], formula: str) -> Any:
    """Return the columns of the variables as a pandas data frame with the index of `frame`.

    Raises
    ------
    InvalidProblemError
        If a value is missing, or a column holds what binary64 does not.
    """
    import narwhals as nw

    names, series = columns_of(frame, "X")
    table = nw.from_native(frame, eager_only=True)
    own_names = dict(zip(names, table.columns, strict=True))  # which may be numbers
    for name, column in zip(names, series, strict=True):
        if name not in variables:
            continue
        if column.dtype in (nw.Object, nw.Unknown, nw.Decimal) and column_of(column, name, "X").exact is not None:
            raise _refused(formula, f"the column {quote(name)} holds numbers that binary64 does not hold")
        missing = column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()
        if missing.any():
            row = missing.to_list().index(True)
            raise _refused(formula, f"the column {quote(name)} has a missing value in row {row}; {LEAVE_ROWS_OUT}")
    chosen = table.select([nw.col(own_names[name]) for name in variables]).to_pandas()
    return chosen.set_axis(list(variables), axis="columns")


def _matrix(formula: str, part: Any, table: Any) -> Any:
    from formulaic.errors import DataMismatchWarning, FormulaicError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DataMismatchWarning)  # values outside the levels would become missing
            return part.get_model_matrix(table, na_action="raise")
    except (DataMismatchWarning, FormulaicError, ValueError, TypeError, NameError, SyntaxError, KeyError) as error:
        dates = [name for name in table.columns if table[name].dtype.kind in "mM"]
        expected = "expected numbers, such as days since the first date, or levels, as in C(...)"
        why = f"the column {quote(dates[0])} holds dates or durations; {expected}" if dates else _first_line(error)
        raise _refused(formula, why) from error


def _response(formula: str, part: Any, table: Any) -> Any:
    """Return the labels: a column as it is, or the numbers of an expression, 1 where a comparison holds."""
    (term,) = part
    (factor,) = term.factors if len(term.factors) == 1 else (None,)
    if factor is not None and str(factor.eval_method).endswith("LOOKUP"):
        return table[factor.expr]
    values = _matrix(formula, part, table)
    is_comparison = [str(name).rsplit("[", 1)[-1] for name in values.columns] in (["False]", "True]"], ["T.True]"])
    if values.shape[1] != 1 and not is_comparison:
        raise _refused(formula, f"its response has {values.shape[1]} columns; expected one")
    return values.iloc[:, -1].rename(str(term))


def column_names(frame: Any) -> tuple[str, ...]:
    """Return the names of the columns of a data frame.

    Raises
    ------
    InvalidProblemError
        If it is none, or two of its columns have one name.
    """
    try:
        return columns_of(frame, "X")[0]
    except DataError as error:
        raise InvalidProblemError(str(error)) from error


def _first_line(error: BaseException) -> str:
    text = re.sub("\x1b\\[[0-9;]*m", "", str(error)).strip()
    return next(iter(text.splitlines()), type(error).__name__)


def _refused(formula: str, why: str) -> InvalidProblemError:
    return InvalidProblemError(f"y is the formula {quote(formula)}: {why}")
