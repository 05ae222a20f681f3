"""Questions about likelihoods whose rows are in a file, all columns of which are read."""

from dataclasses import replace
from typing import Any

from maxmargin.api.families import FamilyOptions, FamilyQuestion, response_of
from maxmargin.data.batches import Choice, OneHot, columns_named
from maxmargin.data.reading.formulas import read_frame
from maxmargin.data.reading.loading import missing_texts, refuse_others


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
    drop, coded = columns_named(columns.pop("drop", ())), OneHot.of(columns.pop("one_hot", False))
    choice, short, named = Choice(drop=drop, one_hot=coded, **columns), None, dict(options.columns)
    if formula is not None:
        refuse_others(choice)
        short, named = response_of(formula, options.family, named)
    read = read_frame(source, short, choice, named)
    question = FamilyQuestion.of(read.frame, formula or read.label, options, bias=bias, positive=positive)
    stated = {**read.described["read_as"], **options.columns, **({} if formula is None else {"formula": formula})}
    notes, rows = (*read.notes, *question.dataset.notes), read.described.pop("rows")
    dataset = replace(question.dataset, **read.described | {"read_as": stated, "notes": notes})
    names = replace(question.names, ids=dataset.row_ids, positions=rows, notes=notes)
    return replace(question, dataset=dataset, names=names)
