"""The answer about a fitted model: its infinite coefficients, and whether it has converged."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from maxmargin.explaining.separability_answer import Separability
from maxmargin.explaining.terms import Term
from maxmargin.models.reading import ModelReading
from maxmargin.solvers.answers.answer_text import Names, Result, counted, plain, some, through
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.proof.certificate import Certificate

# Largest number of infinite coefficients that a card names.
_MOST_IN_CARD = 4

# Largest number of coefficients that the text lists one by one, or names on a line.
_MOST = 20

_EXISTS = {
    Verdict.OVERLAP: "exists (overlap, proven)",
    Verdict.QUASI_SEPARABLE: "does not exist (quasi-separable, proven)",
    Verdict.SEPARABLE: "does not exist (separable, proven)",
    Verdict.UNDECIDED: "exists or not: undecided",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelCheck(Result, ModelReading):
    """The facts that are proven about a fitted model, next to the values that it printed.

    The coefficients are those of the maximum-likelihood estimate. A penalty, or a criterion other than the likelihood,
    keeps the printed ones finite; `infinite` then names those that are infinite without it.

    Attributes
    ----------
    model_name : str
        The package and the class of the model.
    kind : str
        The kind of model in words.
    event : str
        The model's own coding of the response: which class is the event.
    verdict : Verdict
        Whether the rows of the model's question are separable, quasi-separable, or overlap. The estimate exists if, and
        only if, they overlap. If the model fits several questions, one for each class, it is the verdict of all at
        once.
    answers : dict of str to Separability
        The answer by the name of the question, which is "" if there is only one; empty if nothing could be asked.
    questions : dict of str to LabelledRows
        The labelled rows that the answers and their certificates are about, by the same names.
    reason : str
        The proof in words, or why nothing is stated.
    row_names : sequence or None
        Names of the rows of the model's data: the labels of their index, or their positions in the data from which the
        model left rows out; None if they are 0, 1, ....
    estimates, standard_errors : dict of str to float
        The values that the model printed, by the name of the coefficient; a standard error that it did not print is
        missing.
    computed : frozenset of str
        The names in `estimates` of values that were not printed, but computed from printed ones.
    is_fitted : bool
        Whether the model has been fitted; if not, there are no estimates.
    claimed_converged : bool or None
        Whether the model says that it converged, which classifiers of scikit-learn do by stopping before their limit of
        iterations; None if it does not say.
    converged_is_true : bool or None
        False if the model says that it converged, and there is no estimate to converge to. True if it says so and the
        estimate exists; how near to it the printed values are is not examined. None if the model does not say so, if
        it is no maximum-likelihood fit, or if nothing is proven.
    is_penalised : bool
        Whether a penalty keeps the printed coefficients finite.
    has_likelihood : bool
        Whether the model maximises the likelihood whose estimate the verdict is about, perhaps with a penalty.
    made_by : tuple of str
        The steps of a pipeline that made the columns, which coefficients and reasons are about.
    notes : tuple of str
        Remarks about the question.
    names : tuple of str
        The names of the columns of `rows`, all different.
    strata : list or None
        The stratum of every row of the model's data, if it has strata.
    label : str or None
        The name of the response, if `rows` are rows of the model's data.
    bias : bool
        Whether the model has an intercept that is not a column of `rows`.
    class_names : tuple of str or None
        The names of the classes of a multinomial model, the reference first.
    unpenalised : tuple of int or None
        The columns without a penalty, if the others have one; None if that is not known.

    See Also
    --------
    maxmargin.check_model : Check a fitted model.

    Examples
    --------
    >>> import maxmargin as mm
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 2.0]], ["well", "ill", "well", "ill"]
    >>> check = mm.check_model(LogisticRegression(C=1.0).fit(X, y), X, y)
    >>> check.verdict.value, check.event, check.is_penalised, check.infinite
    ('quasi-separable', 'the event is well, against ill', True, {'x0': '-'})
    """

    verdict: Verdict
    answers: dict[str, Separability]
    converged_is_true: bool | None

    @property
    def answer(self) -> Separability | None:
        """The answer to the model's question; None if there are several questions, or none."""
        return self.answers.get("")

    @property
    def certificate(self) -> Certificate | None:
        """The proof of `answer`, which `maxmargin.verify` checks with `rows` and `labels`."""
        return None if self.answer is None else self.answer.certificate

    @property
    def rows(self) -> Any:
        """The rows of the model's question: its columns with weight, differences within strata, and the like."""
        return self.questions[""].rows if self.answer is not None else None

    @property
    def labels(self) -> Any:
        """The labels of `rows`: signs, or the numbers of the classes of a multinomial model."""
        return self.questions[""].labels if self.answer is not None else None

    @property
    def positions(self) -> Any:
        """The row of the data that the model kept from which each of `rows` follows, from 0; for a difference, two."""
        return self.questions[""].positions if self.answer is not None else None

    @property
    def separated_rows(self) -> Rows | None:
        """The rows of the model's data that are strictly separated in some question, from 0; None if undecided.

        If the question is about differences, they are both rows of every difference that is strictly separated.
        """
        parts = self.separated_rows_by_question
        return None if parts is None else np.unique(np.concatenate(list(parts.values())))

    @property
    def separated_rows_by_question(self) -> dict[str, Rows] | None:
        """The `separated_rows` of each question; None if one is undecided."""
        parts = self._of_parts(lambda answer: answer.separated_rows)
        return None if parts is None else {part: self.questions[part].sources(rows) for part, rows in parts}

    @property
    def separated_strata(self) -> tuple[Any, ...] | None:
        """The strata of the `separated_rows`; None if undecided, or if the model has none."""
        rows = self.separated_rows
        return None if rows is None or self.strata is None else tuple({self.strata[row]: 0 for row in rows.tolist()})

    @property
    def infinite(self) -> dict[str, str] | None:
        """The infinite coefficients by name: "+", "-" or "either sign"; None if unknown."""
        parts = self._of_parts(lambda answer: answer.infinite_columns)
        if parts is None:
            return None
        return {_full(part, name): sign for part, columns in parts for name, sign in columns.items()}

    @property
    def terms(self) -> tuple[Term, ...] | None:
        """The infinite coefficients, each with its reason in terms of rows of the data; None if they are not known.

        They are not known for a model whose question is about differences of rows.
        """
        parts = self._of_parts(lambda answer: None if answer.names.label is None else answer.terms)
        if parts is None:
            return None
        return tuple(replace(term, name=_full(part, term.name)) for part, terms in parts for term in terms)

    @property
    def finite(self) -> tuple[str, ...] | None:
        """The coefficients that stay finite; None if they are not known."""
        return self._names_of(lambda answer: answer.finite_columns)

    @property
    def aliased(self) -> tuple[str, ...] | None:
        """The columns that depend linearly on those before them, and have no coefficient of their own."""
        return self._names_of(lambda answer: answer.aliased_columns)

    def _names_of(self, columns: Callable[[Separability], tuple[str | int, ...] | None]) -> tuple[str, ...] | None:
        parts = self._of_parts(columns)
        return None if parts is None else tuple(_full(part, name) for part, names in parts for name in names)

    def _of_parts(self, found: Callable[[Separability], Any]) -> list[tuple[str, Any]] | None:
        """Return what is found in each decided answer, by the name of its part; None unless it is found in all."""
        is_open = not self.answers or any(answer.verdict is Verdict.UNDECIDED for answer in self.answers.values())
        parts = [] if is_open else [(part, found(answer)) for part, answer in self.answers.items()]
        return None if is_open or any(values is None for _, values in parts) else parts

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        if self.verdict is Verdict.UNDECIDED:
            return f"{self.kind}: undecided"
        return f"{self.kind}: {self._existence}"

    @property
    def _existence(self) -> str:
        if not self.answers:
            return f"whether {self._estimate} exists was not examined"
        return f"{self._estimate} {_EXISTS[self.verdict]}"

    @property
    def _estimate(self) -> str:
        if not self.has_likelihood:
            return "the maximum-likelihood estimate for these rows"
        return f"the {'unpenalised ' * self.is_penalised}maximum-likelihood estimate"

    def to_dict(self) -> dict[str, Any]:
        """Return what is proven and what was printed, in Python's own types, which JSON holds."""
        found = self._attributes("infinite", "finite", "aliased", "separated_strata")
        names, each = Names(ids=self.row_names), self.separated_rows_by_question
        found["separated_rows_by_question"] = each and {part: names.fields("rows", rows) for part, rows in each.items()}
        answers = {part: answer.to_dict() for part, answer in self.answers.items()}
        rows = names.fields("separated_rows", self.separated_rows)
        return {**plain(self._fields() | rows | found), "answers": answers}

    def _fields(self) -> dict[str, Any]:
        """Return the fields that are there without further work."""
        return {
            "model": self.model_name,
            **self._attributes("kind", "event", "verdict", "reason", "is_fitted"),
            **self._attributes("claimed_converged", "converged_is_true"),
            **self._attributes("is_penalised", "has_likelihood", "made_by", "estimates", "standard_errors", "notes"),
        }

    def _card_fields(self) -> dict[str, Any]:
        infinite = self.infinite if self._has_quick_columns else None
        names = [f"{name} {sign}" for name, sign in (infinite or {}).items()]
        return {
            "model": self.model_name,
            "verdict": self.verdict.value,
            "event": self.event,
            "infinite coefficients": None if infinite is None else some(names, _MOST_IN_CARD, "{n} in all") or "none",
            "it says that it converged": self.claimed_converged,
            "which is true": self.converged_is_true,
        }

    def _table_fields(self) -> dict[str, Any]:
        """Return the fields, and those of columns if they are found quickly."""
        return self.to_dict() if self._has_quick_columns else self._fields()

    def summary(self) -> str:
        """Return the verdict, the infinite coefficients, whether `converged` is true, what to do, and the proof."""
        head = [f"{self.model_name}, {self.kind}", *([self.event] if self.event else [])]
        head += [f"the columns are those that {', '.join(self.made_by)} made"] * bool(self.made_by)
        lines = [printable("; ".join(head)), f"  {self._existence}", *self._claim_lines()]
        if len(self.answers) > 1:
            found = [f"{part} {answer.verdict.value}" for part, answer in self.answers.items()]
            lines.append(f"  one question for each: {some(found, _MOST, '{n} in all')}")
        for part, answer in self.answers.items():
            lines += [f"  {_full(part, line.strip())}" if part else line for line in answer.near_lines()]
        if self.verdict is not Verdict.UNDECIDED:
            lines += [*self._coefficient_lines(), *self._row_lines(), *self._advice_lines()]
        lines += [f"  note: {printable(note)}" for note in self.notes]
        reason = self.reason.replace(through(False), "")  # the constant is a column, so that this would mislead
        return "\n".join([*lines, f"  {self._proof_of}: {printable(reason)}"])

    @property
    def _proof_of(self) -> str:
        if self.verdict is Verdict.UNDECIDED:
            return "reason"
        if self.answer is None:
            return "proof"
        n_rows, n_columns = self.rows.shape
        constant = "" if self.answer.bias else ", any constant among them"
        origin = "" if self._are_rows_of_data else " that follow from the data"
        return f"proof on {counted(n_rows, 'row')}{origin} with {counted(n_columns, 'column')}{constant}"

    @property
    def _has_quick_columns(self) -> bool:
        """Whether the infinite coefficients are found in a few seconds, as always unless rows are separable."""
        return all(answer.has_cheap_columns for answer in self.answers.values())

    def _claim_lines(self) -> list[str]:
        if not self.is_fitted:
            return ["  it was not fitted"]
        if not self.has_likelihood:
            return ["  its own coefficients are not that estimate, and this does not say whether they are good"]
        if self.is_penalised and self.converged_is_true is False:
            return ["  it says converged = True: this is false, its coefficients without a penalty have no estimate"]
        if self.is_penalised:
            return ["  its own coefficients are finite because of the penalty, wherever each of them has one"]
        if self.claimed_converged is None:
            return ["  it does not say whether it converged"]
        judged = "" if self.converged_is_true is None else {
            False: ": this is false, there is nothing to converge to",
            True: ": there is an estimate, but how near the printed values are to it is not examined",
        }[self.converged_is_true]  # fmt: skip
        if self.model_name.startswith("sklearn"):
            return [f"  it stopped before its limit of iterations, as if it had converged{judged}"]
        return [f"  it says converged = {self.claimed_converged}{judged}"]

    def _coefficient_lines(self) -> list[str]:
        if not self._has_quick_columns:
            return ["  which coefficients are infinite takes longer to find: see the attribute infinite"]
        if self.infinite is None:
            return ["  which coefficients are infinite was not computed (see time_limit and exact_limit)"]
        signed = [name for name, sign in self.infinite.items() if sign in "+-"]
        either = tuple(name for name, sign in self.infinite.items() if sign not in "+-")
        of_that = " of that estimate" * (self.is_penalised or not self.has_likelihood)
        printed = ", whatever was printed" * self.is_fitted
        lines = [f"  infinite coefficients{of_that}{printed}:"] * bool(signed)
        terms = {str(term.name): term for term in self.terms or ()}
        combinations = dict.fromkeys(terms[name].reason for name in signed if name in terms and terms[name].is_combined)
        for name in signed[:_MOST]:
            lines.append(self._coefficient_line(name))
            if name in terms and not terms[name].is_combined:
                lines.append(f"      {printable(terms[name].reason)}")
        lines += [f"    in combination: {printable(reason)}" for reason in combinations]
        lines += [f"    ... {len(signed) - _MOST} more"] * (len(signed) > _MOST)
        if either:
            lines.append(f"  coefficients that can go to infinity with either sign: {self._some(either)}")
        if self.infinite:
            lines.append(f"  finite coefficients: {self._some(self.finite) or 'none'}")
        if self.aliased:
            lines.append(f"  aliased, as they depend linearly on columns before them: {self._some(self.aliased)}")
        return lines

    def _row_lines(self) -> list[str]:
        """Return lines with the rows and the strata that are separated in quasi-separated data."""
        rows, strata = self.separated_rows, self.separated_strata
        if rows is None or self.verdict is not Verdict.QUASI_SEPARABLE:
            return []
        are_pairs = any(question.positions.ndim == 2 for question in self.questions.values())
        title = f"rows of the data {'in pairs ' * are_pairs}that are separated"
        lines = [Names(ids=self.row_names).rows_line(title, rows, most=_MOST, rest="{n} in all")]
        return lines + [f"  strata with such rows: {some(strata or (), _MOST, '{n} in all')}"] * bool(strata)

    def _some(self, names: tuple[str, ...] | None) -> str:
        return some(names or (), _MOST, "{more} more")

    def _coefficient_line(self, name: str) -> str:
        limit = "+infinity" if (self.infinite or {})[name] == "+" else "-infinity"
        word = "by what was printed" if name in self.computed else "printed"
        printed = [f"{word} {self.estimates[name]:.6g}"] if name in self.estimates else []
        printed += [f"standard error {self.standard_errors[name]:.6g}"] if name in self.standard_errors else []
        return f"    {printable(name)}: {limit}{' (' * bool(printed)}{', '.join(printed)}{')' * bool(printed)}"

    def _advice_lines(self) -> list[str]:
        if self.verdict is Verdict.OVERLAP or not self.has_likelihood:
            return []
        if self.is_penalised:
            return ["  what next: read the size of these coefficients as a choice of the penalty, where they have one"]
        lines = [
            "  what next: penalise (Firth, ridge), or merge or leave out the level or the column that separates;",
            "    Wald tests and standard errors of infinite coefficients mean nothing",
        ]
        if self.answer is not None and self.verdict is Verdict.QUASI_SEPARABLE and self._are_rows_of_data:
            lines.append("    the finite coefficients are estimated from the finite_part() of this check's answer")
        return lines

    @property
    def _are_rows_of_data(self) -> bool:
        """Whether the rows of the one question are rows of the data, each of which occurs once."""
        return self.positions.ndim == 1 and len(np.unique(self.positions)) == len(self.positions)


def _full(part: str, name: str | int) -> str:
    return f"{part}: {name}" if part else str(name)
