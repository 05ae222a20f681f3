"""Questions about likelihoods whose rows are in a file, all columns of which are read."""

from dataclasses import replace
from typing import Any, NamedTuple

from maxmargin.api.families import FamilyOptions, FamilyQuestion, response_of
from maxmargin.data.batches import Choice, OneHot, Table, columns_named
from maxmargin.data.reading.coding import OF_A_FORMULA, check_levels, first_fault
from maxmargin.data.reading.formulas import (
    PLAIN_RESPONSE,
    column_names,
    complete_rows,
    frame_of_table,
    outside_codings,
    parsed_formula,
    variables_of,
    whole_table,
    with_types,
    without_index,
)
from maxmargin.data.reading.loading import missing_texts, refuse_others
from maxmargin.data.sources.frames import library_of
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.text.data_error import listed, nearest, quoted


def question_of_source(
    source: Any,
    options: FamilyOptions,
    *,
    formula: str | None = None,
    bias: bool | None = None,
    positive: object = None,
    **columns: Any,
) -> FamilyQuestion:
    """Return the question about a file; `columns` are the arguments of `load` that say how it is read.

    Raises
    ------
    DataError, InvalidProblemError
        If it cannot be read, or its responses or columns are not those of the family.
    InvalidOptionError
        If an option does not fit.
    """
    columns["missing"] = missing_texts(columns.get("missing", ()))
    coded = OneHot.of(columns.pop("one_hot", False))
    choice = Choice(drop=columns_named(columns.pop("drop", ())), one_hot=coded, **columns)
    if formula is not None:
        refuse_others(choice)
    read = _read(source, options, formula, choice)
    question = FamilyQuestion.of(read.frame, formula or read.label, options, bias=bias, positive=positive)
    stated = {**choice.stated_of(source, read.table.header_line), **options.columns}
    if formula is not None:
        stated = {**stated, "formula": formula}
        del stated["label"]
    ids = None if read.table.ids is None else [read.table.ids[row] for row in read.rows.tolist()]
    dataset = replace(
        question.dataset, source=read.table.source, header_line=read.table.header_line or None, read_as=stated,
        library=library_of(source), notes=(*read.notes, *question.dataset.notes),
    )  # fmt: skip
    positions = read.rows if len(read.rows) < len(read.table.label) else None
    names = replace(question.names, ids=ids, positions=positions, notes=dataset.notes)
    return replace(question, dataset=dataset, names=names)


class _ReadFrame(NamedTuple):
    """The rows of a file that are complete, the table that they are of, their positions in it, and notes."""

    frame: Any
    label: str
    table: Table
    rows: Rows
    notes: tuple[str, ...]


def _read(source: Any, options: FamilyOptions, formula: str | None, choice: Choice) -> _ReadFrame:
    short, named = (None, options.columns) if formula is None else response_of(formula, options.family, options.columns)
    response = None if short is None else PLAIN_RESPONSE.fullmatch(short.partition("~")[0])
    label = choice.label if short is None else -1 if response is None else response[1] or response[2]
    every = OneHot(every=True, named=choice.one_hot.named)
    table = whole_table(source, replace(choice, label=label, one_hot=every, drop_missing=False))
    frame, notes, others = frame_of_table(table), table.notes, {str(name) for name in named.values()}
    for name in sorted(others - {*frame.columns}):
        expected = f"one of {listed(tuple(frame.columns))}"
        raise table.error(
            found=f"no column {quoted(name)}", expected=expected, hint=nearest(name, tuple(frame.columns))
        )
    used, texts = [*frame.columns], {*frame.columns} - others
    if short is not None:
        frame, more = without_index(frame, short)
        parsed = parsed_formula(short, column_names(frame))
        used, texts, notes = [*{*variables_of(parsed), *others}], outside_codings(parsed), (*notes, *more)
    for column in table.features if isinstance(table.features, tuple) else ():
        if isinstance(column.values, list) and not column.is_category and str(column.name) in texts:
            if short is None and not choice.one_hot.every and column.name not in choice.one_hot.named:
                raise first_fault(replace(table, names=(column.name,), features=(column,)), choice)
            check_levels(table, column, choice, OF_A_FORMULA)
    is_out = False if "weights" not in named else (frame[named["weights"]] == 0).to_numpy()
    rows = complete_rows(table, frame[used], drop_missing=choice.drop_missing, spared=is_out)
    n_dropped = len(frame) - len(rows)
    left_out = f"{n_dropped} row{'s' * (n_dropped != 1)} with missing values left out of {len(frame)}"
    frame = with_types(table, frame.iloc[rows].reset_index(drop=True))
    return _ReadFrame(frame, str(table.label_name), table, rows, (*notes, *[left_out] * (n_dropped > 0)))
