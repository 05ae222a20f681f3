"""Formulas such as ``died ~ age + C(stage)``: what they state about a data frame, and files that are read by them."""

import ast
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.batches import DEFAULT_MEMORY, Choice, Column, OneHot, Table
from maxmargin.data.dataset import Dataset
from maxmargin.data.labels import CodedLabels, LabelError, encode
from maxmargin.data.numbers.numerals import DROP_MISSING_HINT
from maxmargin.data.reading.arrays import LEAVE_ROWS_OUT, Modelled, features_and_labels
from maxmargin.data.reading.coding import (
    OF_A_FORMULA,
    check_levels,
    coding_note,
    equal_row_names,
    first_fault,
    with_missing,
)
from maxmargin.data.sources.frames import column_of, columns_of, library_of, with_distinct_names, without_index
from maxmargin.data.sources.opening import open_source
from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.basics.limits import size_text
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.text.data_error import DataError, data_error, listed, nearest, quoted

# The column that is coded in a call of C.
_CODED_COLUMN = re.compile(r"C\((\w+)\s*[,)]")

# A response that is a column.
_PLAIN_RESPONSE = re.compile(r"\s*(?:`([^`]+)`|(\w+))\s*")

# Errors that the evaluation of a formula may raise.
_ERRORS = (ArithmeticError, AttributeError, LookupError, NameError, RuntimeError, SyntaxError, TypeError, ValueError)


def read_formula(formula: str, frame: Any, most_bytes: int = DEFAULT_MEMORY) -> Modelled:
    """Return what a formula makes of a data frame.

    Parameters
    ----------
    formula : str
        In the notation of R and of formulaic, with the functions of formulaic. It may hold Python, which is evaluated.
        The values of functions are rounded to binary64, and answers are about the rounded numbers.
    frame : data frame
        With a value in every row of the columns that the formula names.
    most_bytes : int, default 1 GiB
        Largest size of the columns that terms make of levels.

    Raises
    ------
    InvalidProblemError
        If the formula cannot be read, or the data frame does not have what it names.
    """
    column_names(frame)
    frame, notes = without_index(with_distinct_names(frame), formula)
    parsed = _parsed(formula, column_names(frame))
    table = _pandas_of(frame, parsed, formula)
    features = _matrix(formula, parsed.rhs, _with_levels(table, parsed.rhs), most_bytes)
    terms = features.model_spec.term_indices.items()
    intercept = [j for term, places in terms if all(map(_is_literal, term.factors)) for j in places]
    if features.shape[1] == len(intercept) < len(terms):
        raise refused(formula, "its terms make no column; expected one at least")
    factors = tuple(_factors_with_columns(features))
    terms_alone = features.drop(columns=features.columns[intercept])
    return Modelled(
        features=terms_alone if terms_alone.shape[1] else np.empty(terms_alone.shape),
        labels=_response(formula, parsed.lhs, table), has_intercept=bool(intercept), factors=factors,
        notes=(*notes, *(coding_note(factor.name, factor) for factor in factors if factor.reference is not None)),
        read_as={"formula": str(formula)}, needs_columns=False,
    )  # fmt: skip


def _with_levels(table: Any, part: Any) -> Any:
    """Return the table with columns of True and False as categories, as which R and statsmodels code them.

    Those in arithmetic stay numbers.
    """
    import pandas as pd

    factors = [factor for term in part for factor in term.factors if _is_python(factor)]
    in_arithmetic = _names_outside_of_codings(factors)
    levels = pd.CategoricalDtype([False, True])
    of_bools = [name for name in table.columns if table[name].dtype.kind == "b" and name not in in_arithmetic]
    return table.astype(dict.fromkeys(of_bools, levels))


def _outside_codings(parsed: Any) -> set[str]:
    """Return the columns that the right side of a formula names outside of ``C(...)``."""
    return _names_outside_of_codings(factor for factor in _factors(parsed) if not _is_response(factor, parsed))


def _factors_with_columns(features: Any) -> Iterator[Factor]:
    """Yield the categorical terms that have a column of 0 and 1 for every level, or for every level but one."""
    from formulaic.transforms.contrasts import TreatmentContrasts

    for factor, (_, state) in features.model_spec.encoder_state.items():
        if not isinstance(getattr(state.get("contrasts"), "contrasts", None), TreatmentContrasts):
            continue
        columns, omitted = dict[str, str](), list[str]()
        for level in map(str, state["categories"]):
            names = [name for name in (f"{factor}[T.{level}]", f"{factor}[{level}]") if name in features.columns]
            if names:
                columns[level] = names[0]
            else:
                omitted.append(level)
        if columns and len(omitted) <= 1:
            coded = _CODED_COLUMN.match(factor)
            yield Factor(
                name=factor if coded is None else coded[1], columns=columns, reference=omitted[0] if omitted else None
            )


def check_is_installed(formula: str) -> None:
    """Raise unless formulaic is installed, and with it pandas, which it needs.

    Raises
    ------
    InvalidOptionError
    """
    if find_spec("formulaic") is None:
        raise InvalidOptionError(f"{quoted(formula)} is a formula, which needs formulaic: pip install formulaic")


def _parsed(formula: str, columns: Sequence[str]) -> Any:
    """Return a formula about these columns as formulaic reads it; what it would not understand is refused.

    Raises
    ------
    InvalidProblemError
    """
    check_is_installed(formula)
    from formulaic import Formula
    from formulaic.errors import FormulaicError

    try:
        check_formula(formula, columns)
        parsed: Any = Formula.from_spec(formula, context={"__formulaic_variables_available__": list(columns)})
    except InvalidProblemError:
        raise
    except (FormulaicError, *_ERRORS) as error:
        raise refused(formula, _first_line(error)) from error
    if not hasattr(parsed, "lhs") or not hasattr(parsed, "rhs") or len(list(parsed.lhs)) != 1:
        advice = "successes + failures are for the family binomial"
        raise refused(formula, f"expected one response on its left, as in 'y ~ x'; {advice}")
    if not all(hasattr(term, "factors") for term in (*parsed.lhs, *parsed.rhs)):
        raise refused(formula, "it has several parts; expected one on either side of ~")
    scaled = [term for term in parsed.rhs if len(term.factors) > 1 and any(map(_is_literal, term.factors))]
    if scaled:
        raise refused(
            formula, f"the term {quoted(str(scaled[0]))} is scaled by a number; expected I(10*x) and the like"
        )
    unknown = [name for name in _variables(parsed) if name not in columns]
    if unknown:
        hint = nearest(unknown[0], columns)
        expected, what = f"expected some of {listed(columns)}", "column"
        if not any(factor.expr == unknown[0] for factor in _factors(parsed)):
            expected, what = f"{expected}, or one of {', '.join(sorted(functions_of_formulas()))}", "column or function"
        found = f"there is no {what} {quoted(unknown[0])}; {expected}"
        raise refused(formula, f"{found}{f' ({hint})' if hint else ''}")
    return parsed


def _factors(parsed: Any) -> list[Any]:
    return [factor for term in (*parsed.lhs, *parsed.rhs) for factor in term.factors]


def _is_python(factor: Any) -> bool:
    return str(factor.eval_method).endswith("PYTHON")


def _variables(parsed: Any) -> tuple[str, ...]:
    """Return the columns that a formula names, also those in calls of ``scale``, which formulaic leaves out."""
    return tuple(sorted(set().union(*map(_names_in, _factors(parsed)))))


def _names_in(factor: Any) -> set[str]:
    return names_in(factor.expr) if _is_python(factor) else set() if _is_literal(factor) else {factor.expr}


def _is_literal(factor: Any) -> bool:
    return str(factor.eval_method).endswith("LITERAL")


def _names_outside_of_codings(factors: Iterable[Any]) -> set[str]:
    """Return the columns that factors name, except those that only occur as levels, in ``C(...)``."""
    return {name for factor in factors if not factor.expr.startswith("C(") for name in _names_in(factor)}


def _pandas_of(frame: Any, parsed: Any, formula: str) -> Any:
    """Return the columns that a formula names as a pandas data frame with the index of `frame`.

    Numbers are binary64, in which products of integers do not wrap around, but for the response and for levels. Texts
    are Python's own, which no number multiplies.

    Raises
    ------
    InvalidProblemError
        If a value is missing, or a column holds what binary64 does not.
    """
    import narwhals as nw

    variables = _variables(parsed)
    in_numbers = _outside_codings(parsed)
    names, series = columns_of(frame, "X")
    table = nw.from_native(frame, eager_only=True)
    own_names = dict(zip(names, table.columns, strict=True))  # which may be numbers
    converted: dict[str, Any] = {}
    for name, column in zip(names, series, strict=True):
        if name not in variables:
            continue
        missing = column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()
        if missing.any():
            rows = [row for row, is_missing in enumerate(missing.to_list()) if is_missing]
            more = "" if len(rows) == 1 else f", and in {len(rows) - 1} of the {len(missing) - 1} others"
            found = f"the column {quoted(name)} has a missing value in row {rows[0]}{more}"
            raise refused(formula, f"{found}; {LEAVE_ROWS_OUT}")
        values = _converted(column, name, formula, is_number=name in in_numbers)
        if values is not None:
            converted[name] = values
    rest = [name for name in variables if name not in converted]
    chosen = _rows_of(table) if not rest else table.select([nw.col(own_names[name]) for name in rest]).to_pandas()
    chosen = chosen.set_axis(rest, axis="columns")
    of_levels = chosen.select_dtypes("category")
    converted |= {name: of_levels[name].cat.remove_unused_categories() for name in of_levels}
    return chosen.assign(**converted)[list(variables)]


def _rows_of(table: Any) -> Any:
    """Return a pandas data frame without columns that has the rows of the table."""
    import pandas as pd

    native = table.to_native()
    return pd.DataFrame(index=native.index if hasattr(native, "index") else range(len(table)))


def _converted(column: Any, name: str, formula: str, *, is_number: bool) -> Any:
    """Return the numbers of a column that is to be one of numbers, or its texts; None where it stays as it is."""
    import narwhals as nw

    if column.dtype in (nw.Time, nw.Binary) or column.dtype.is_nested():
        raise refused(formula, f"the column {quoted(name)} holds values of type {column.dtype}")
    if column.dtype in (nw.Int128, nw.UInt128) and not is_number:  # pandas has no such type
        return np.array(column.to_list(), dtype=object)
    may_hold_numbers = column.dtype in (nw.Object, nw.Unknown, nw.Decimal) or (is_number and column.dtype.is_numeric())
    if not may_hold_numbers and column.dtype not in (nw.String, nw.Categorical):
        return None
    try:
        found = column_of(column, name, "X")
    except DataError as error:
        raise refused(formula, str(error)) from error
    if found.exact is not None:
        raise refused(formula, f"the column {quoted(name)} holds numbers that binary64 does not hold")
    if isinstance(found.values, list):
        if found.levels is not None:
            return None
        if is_number and not found.is_category:
            _check_levels(formula, found)
        return np.array(found.values, dtype=object)
    return found.values if is_number else None


def _check_levels(formula: str, column: Column) -> None:
    """Refuse texts outside of C(...) that do not look like levels."""
    table = Table(source="X", names=(column.name,), features=(column,), label=np.empty(0), label_name="y")
    try:
        check_levels(table, column, Choice(one_hot=OneHot(every=True)), OF_A_FORMULA)
    except DataError as error:
        raise refused(formula, str(error).removeprefix("X: ")) from error


def _is_response(factor: Any, parsed: Any) -> bool:
    """Return whether a factor is the response as it stands, whose values are labels."""
    return not _is_python(factor) and any(factor is other for term in parsed.lhs for other in term.factors)


def _matrix(formula: str, part: Any, table: Any, most_bytes: int = DEFAULT_MEMORY) -> Any:
    from formulaic.errors import DataMismatchWarning, FormulaicError

    _check_size(formula, part, table, most_bytes)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error", DataMismatchWarning)  # values outside the levels would become missing
            matrix = part.get_model_matrix(table, na_action="raise")
    except (DataMismatchWarning, FormulaicError, *_ERRORS) as error:
        dates = [name for name in table.columns if table[name].dtype.kind in "mM"]
        expected = "expected numbers, such as days since the first date, or levels, as in C(...)"
        why = f"the column {quoted(dates[0])} holds dates or durations; {expected}" if dates else _first_line(error)
        raise refused(formula, why) from error
    names = Counter(name for term in matrix.model_spec.structure for name in term.columns)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise refused(formula, f"two terms make a column {quoted(str(twice[0]))}; rename a column or a level")
    return matrix


def _check_size(formula: str, part: Any, table: Any, most_bytes: int) -> None:
    """Refuse the columns of levels and of their products where they would be larger in all than `most_bytes`.

    Raises
    ------
    InvalidProblemError
    """
    from pandas import CategoricalDtype

    def n_levels(factor: Any) -> int:
        names = _names_in(factor)
        if len(names) != 1 or (_is_python(factor) and not factor.expr.startswith(("C(", "Q("))):
            return 1
        column = table[names.pop()]
        if isinstance(column.dtype, CategoricalDtype):
            return len(column.cat.categories)
        return 1 if column.dtype.kind in "fiu" and not factor.expr.startswith("C(") else column.nunique()

    sizes = {str(term): prod(map(n_levels, term.factors)) for term in part}
    n_bytes = sum(n_columns for n_columns in sizes.values() if n_columns > 1) * len(table) * 8
    if n_bytes > most_bytes:
        term = max(sizes, key=lambda term: sizes[term])
        has = f"the term {quoted(term)} has {sizes[term]:,} columns for {len(table):,} rows, and all of levels take"
        raise refused(formula, f"{has} {size_text(n_bytes)}; expected {size_text(most_bytes)} at most")


def _response(formula: str, part: Any, table: Any) -> Any:
    """Return the labels: a column as it is, or the numbers of an expression, 1 where a comparison holds."""
    (term,) = part
    (factor,) = term.factors if len(term.factors) == 1 else (None,)
    if factor is not None and str(factor.eval_method).endswith("LOOKUP"):
        return table[factor.expr]
    values = _matrix(formula, part, table)
    is_comparison = [str(name).rsplit("[", 1)[-1] for name in values.columns] in (["False]", "True]"], ["T.True]"])
    if values.shape[1] != 1 and not is_comparison:
        raise refused(formula, f"its response has {values.shape[1]} columns; expected one")
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


# Files: the columns that a formula names, and the rows that have a value in all of them


def load_by_formula(source: Any, formula: str, choice: Choice, positive: object, most_bytes: int) -> Dataset:
    """Read a data set by a formula; the label and the coding of the choice do not count.

    The data are read into memory; the columns that the formula makes of levels may take `most_bytes`.

    Raises
    ------
    DataError, InvalidProblemError
        If the source cannot be read, or does not have what the formula names.
    InvalidOptionError
        If formulaic is not installed.
    """
    check_is_installed(formula)
    read = read_frame(source, formula, choice, {})
    modelled = read_formula(formula, read.frame, most_bytes)
    named = modelled._replace(notes=(*read.notes, *modelled.notes))
    dataset = features_and_labels(named, positive=positive, source=read.described["source"])
    return replace(dataset, has_intercept=modelled.has_intercept, **read.described)


class ReadFrame(NamedTuple):
    """All columns of the complete rows of a source, the name of the labels, notes, and fields of a data set."""

    frame: Any
    label: str
    notes: tuple[str, ...]
    described: dict[str, Any]


def read_frame(source: Any, formula: str | None, choice: Choice, columns: Mapping[str, str]) -> ReadFrame:
    """Read a source as a data frame, in which a formula, or the label of the choice without one, is understood.

    `columns` are those that are no features; the rows whose "weights" are 0 may lack values.

    Raises
    ------
    DataError, InvalidProblemError
        If the source cannot be read, or does not have these columns.
    """
    response = None if formula is None else _PLAIN_RESPONSE.fullmatch(formula.partition("~")[0])
    label = choice.label if formula is None else -1 if response is None else response[1] or response[2]
    every = OneHot(every=True, named=choice.one_hot.named)
    table = whole_table(source, replace(choice, label=label, one_hot=every, drop_missing=False))
    if len(table.label) == 0:
        raise table.error(found="no rows", expected="at least one")
    frame, notes, others = _frame_of(table), table.notes, {*columns.values()}
    if unknown := others - {*frame.columns}:
        raise table.error(found=f"no column {quoted(min(unknown))}", expected=f"one of {listed(tuple(frame.columns))}")
    used, texts = [*frame.columns], {*frame.columns} - others
    if formula is not None:
        frame, more = without_index(frame, formula)
        parsed = _parsed(formula, column_names(frame))
        used, texts, notes = sorted({*_variables(parsed), *others}), _outside_codings(parsed), (*notes, *more)
    for column in table.features if isinstance(table.features, tuple) else ():
        if isinstance(column.values, list) and not column.is_category and str(column.name) in texts:
            if formula is None and not choice.one_hot.every and column.name not in choice.one_hot.named:
                raise first_fault(replace(table, names=(column.name,), features=(column,)), choice)
            check_levels(table, column, choice, OF_A_FORMULA)
    is_out = (frame[columns["weights"]] == 0).to_numpy() if "weights" in columns else False
    rows = _complete_rows(table, frame[used], drop_missing=choice.drop_missing, spared=is_out)
    n_dropped = len(frame) - len(rows)
    left_out = f"{n_dropped} row{'s' * (n_dropped != 1)} with missing values left out of {len(frame)}"
    read_as = choice.stated_of(source, table.header_line)
    if formula is not None:
        read_as["formula"] = str(formula)
        del read_as["label"]
    described = {
        "source": table.source, "read_as": read_as, "library": library_of(source), "rows": rows if n_dropped else None,
        "row_ids": table.ids and tuple(table.ids[row] for row in rows.tolist()),
        "header_line": table.header_line or None,
    }  # fmt: skip
    frame = _with_types(table, frame.iloc[rows].reset_index(drop=True))
    return ReadFrame(frame, str(table.label_name), (*notes, *[left_out] * (n_dropped > 0)), described)


def whole_table(source: Any, choice: Choice) -> Table:
    """Return all rows of a source that is no folder, of a choice that needs the texts of its columns.

    Raises
    ------
    DataError
        The source cannot be read.
    """
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        raise data_error(os.fspath(source), found="a directory", expected="a file")
    (one,), _ = open_source(source, choice)
    roles = choice.roles(one.layout, "formula")
    (read,) = one.tables(roles, None)
    table = with_missing(read(), roles) if roles.missing else read()
    if one.layout.row_names == roles.id and len({*(table.ids or ())}) < len(table.ids or ()):
        raise equal_row_names(table.source)
    return replace(table, notes=(*table.notes, *roles.missing_notes(one.layout, table.told_missing)))


def _complete_rows(table: Table, frame: Any, *, drop_missing: bool, spared: Any = False) -> NDArray[np.int64]:
    """Return the rows that have a value in every column of a data frame, or are spared.

    Raises
    ------
    DataError
        If there are others and they are not to be left out, or no row is left.
    """
    is_missing = frame.isna()
    is_complete = ~is_missing.any(axis=1).to_numpy() | spared
    if not (is_complete.all() or drop_missing):
        first = int(np.argmin(is_complete))
        name = frame.columns[int(np.argmax(is_missing.iloc[first]))]
        hint = f"{DROP_MISSING_HINT}: {np.count_nonzero(~is_complete)} of {len(frame)}"
        raise table.error(first, name, found="a missing value", expected="a value", hint=hint)
    if not is_complete.any():
        raise table.error(found="a missing value in every row", expected="at least one complete row")
    return np.flatnonzero(is_complete).astype(np.int64)


def _frame_of(table: Table) -> Any:
    """Return all columns of a table, the labels as well, as a pandas data frame."""
    import pandas as pd

    names = (f"Unnamed: {n}" if isinstance(n, int) and table.header_line else str(n) for n in table.names)
    stored = table.features if isinstance(table.features, tuple | np.ndarray) else table.features.toarray()
    values = [c.values if c.exact is None else c.exact for c in replace(table, features=stored).columns]
    return pd.DataFrame({**dict(zip(names, values, strict=True)), str(table.label_name): _labels(table)})


def _with_types(table: Table, frame: Any) -> Any:
    """Return complete rows with the types that the source has: true and false, levels in their order, whole numbers."""
    import pandas as pd

    columns = {str(column.name): column for column in table.features} if isinstance(table.features, tuple) else {}

    def typed(values: Any) -> Any:
        column = columns.get(values.name)
        if column is not None and column.is_boolean:
            return values.astype(np.bool_)
        if column is not None and column.levels is not None:
            return values.astype(pd.CategoricalDtype(column.levels))
        if column is not None and column.is_category:
            return values.astype("category")
        return _whole(values.to_numpy())

    return frame.apply(typed)


def _labels(table: Table) -> Any:
    """Return the labels as numbers where all are, otherwise as they are; None where they are missing."""
    is_missing, coded = table.missing_labels(), CodedLabels.of(table.label)
    labels = np.full(len(coded), None, dtype=object)
    try:
        labels[~is_missing] = encode(CodedLabels(coded.distinct, coded.positions[~is_missing]))[:]
    except LabelError as error:
        raise table.error(column=table.label_name, found=error.found, expected=error.expected) from error
    return labels.tolist()


def _whole(values: Any) -> Any:
    """Return numbers as integers if all are whole and exact."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f" or not np.isfinite(values).all():
        return values
    is_whole = (values == np.floor(values)) & (np.abs(values) < 2**53)
    return values.astype(np.int64) if is_whole.all() else values


# The text of a formula, before formulaic evaluates the Python in it, which is right for a formula that its reader wrote

# A call that codes one column, or a response of a time and a status.
_CODED = re.compile(r"(?<![\w.])C\(\s*(?:\w+|`[\w .-]+`)\s*\)|^\s*Surv\(\s*[\w.]+\s*,\s*[\w.]+\s*\)(?=\s*~)")

# A name in backticks, which is looked up; a backslash in one may hide its end.
_PLAIN_NAME = re.compile(r"`[^`\\]*`")

# What a plain formula consists of, once its calls of C and its names in backticks are left out.
_PLAIN = re.compile(r"[\w\s.+:*~()-]*")

# A call, or a power of terms.
_NOT_PLAIN = re.compile(r"[\w.)]\s*\(|\*\s*\*")

# Largest length of a plain formula.
_MOST_CHARACTERS = 10_000

# Largest number of products of terms to which a formula may be expanded.
_MOST_TERMS = 100_000

_QUOTED_NAME = re.compile("`([^`]*)`")

# In place of a quoted name, which is no Python.
_PLACEHOLDER = "_quoted_"

# Functions of formulaic that do not compute what they are called for: its ``exp10(x)`` is x to the power of 10.
_MISLEADING = frozenset({"exp10"})


def is_plain(formula: str) -> bool:
    """Return whether a formula has no Python: only names, numbers, ``+ - : * . ~``, parentheses and ``C(name)``."""
    if len(formula) > _MOST_CHARACTERS:
        return False
    bare = _PLAIN_NAME.sub("x", _CODED.sub("C", formula))
    return _PLAIN.fullmatch(bare) is not None and not _NOT_PLAIN.search(bare)


def check_formula(formula: str, columns: Sequence[str]) -> None:
    """Refuse a formula that means something else than it says, or too many terms.

    Raises
    ------
    InvalidProblemError
        If it does.
    formulaic.errors.FormulaicError
        If it is no formula.
    """
    from formulaic.parser import DefaultFormulaParser
    from formulaic.parser.algos.tokenize import tokenize
    from formulaic.parser.types import Token

    texts = [f"`{token.token}`" if token.kind is Token.Kind.NAME else token.token for token in tokenize(formula)]
    start = next((place for place, text in enumerate(texts) if text.startswith("~")), len(texts))
    if "`1`" in texts[start:] or ("." in texts and "1" in columns and "`1`" not in texts):
        raise refused(formula, "the column '1' has the name of the intercept; rename the column")
    if _n_terms(DefaultFormulaParser().get_ast(formula), len(columns)) > _MOST_TERMS:
        raise refused(formula, f"it has more than {_MOST_TERMS:,} products of terms; expected fewer")


def functions_of_formulas() -> set[str]:
    """Return the names of the functions and of the modules that a formula may name."""
    from formulaic.transforms import TRANSFORMS

    return {*TRANSFORMS} - _MISLEADING


def names_in(expression: str) -> set[str]:
    """Return the names in the Python of a formula that are columns, or ought to be, such as unknown functions.

    Raises
    ------
    SyntaxError
        If it is no Python.
    """
    nodes = list(ast.walk(ast.parse(_QUOTED_NAME.sub(_PLACEHOLDER, expression).strip(), mode="eval")))
    known = functions_of_formulas()
    names, in_q = set[str](), set[str]()
    functions = {id(part) for node in nodes if isinstance(node, ast.Call) for part in _functions_in(node)}
    for node in nodes:
        if isinstance(node, ast.Name) and not (id(node) in functions and node.id in known):
            names.add(node.id)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Q":
            in_q.update(str(part.value) for part in node.args if isinstance(part, ast.Constant))
    return (names - {_PLACEHOLDER}) | in_q | set(_QUOTED_NAME.findall(expression))


def _functions_in(call: ast.Call) -> Iterator[ast.AST]:
    """Yield what is called, the module it is in, and contrasts named without a call, as in ``C(stage, Sum)``."""
    is_coding = getattr(call.func, "id", "") == "C"
    for part in (call.func, *(call.args[1:] if is_coding else ()), *(keyword.value for keyword in call.keywords)):
        yield part
        yield getattr(part, "value", part)


def refused(formula: str, why: str) -> InvalidProblemError:
    """Return the error that names a formula and what is wrong with it."""
    return InvalidProblemError(f"y is the formula {quoted(formula)}: {why}")


def _n_terms(tree: Any, n_columns: int) -> float:
    """Return how many products of terms formulaic forms at most, without forming them."""
    nodes: list[Any] = [tree]
    counts: dict[int, float] = {}
    for node in nodes:
        nodes.extend(getattr(node, "args", ()))
    for node in reversed(nodes):
        symbol = getattr(getattr(node, "operator", None), "symbol", "")
        parts = [counts[id(part)] for part in getattr(node, "args", ())]
        if symbol in ("**", "^"):
            exponent = str(node.args[1])
            is_small = exponent.isdecimal() and len(exponent) < 3
            counts[id(node)] = float(max(parts[0], 2)) ** int(exponent) if is_small else float("inf")
        elif symbol in ("*", "/", ":", "in", "%in%") and len(parts) == 2:
            counts[id(node)] = parts[0] + parts[1] + parts[0] * parts[1]
        else:
            counts[id(node)] = sum(parts) if parts else float(n_columns if symbol == "." else 1)
        counts[id(node)] = min(counts[id(node)], 2.0 * _MOST_TERMS)
    return counts[id(tree)]
