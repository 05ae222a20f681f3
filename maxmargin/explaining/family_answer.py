"""The answer to whether the likelihood of a model has a maximum, in words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from maxmargin.explaining.finite_part import FinitePart
from maxmargin.explaining.separability_answer import MOST_NAMED, Separability
from maxmargin.explaining.terms import OPPOSITE, Findings, Term
from maxmargin.solvers.answers.answer_text import counted, some, through
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.proof.likelihood import Likelihood

# What the model of a question is called, and what shrinks its estimate to finite values.
_MODELS = {
    "binomial": ("regression of grouped counts (logit, probit, cloglog, cauchit)", "Firth's (brglm2's brglmFit in R)"),
    "poisson": ("Poisson regression with a log link", "Firth's (brglm2's brglmFit in R)"),
    "ordinal": ("ordered regression (cumulative logit, probit, cauchit)", "a ridge (lrm of R's rms, penalty=)"),
    "conditional": ("conditional logistic regression", "an elastic net (clogitL1 in R)"),
    "cox": ("Cox regression", "Firth's (coxphf in R)"),
}  # fmt: skip

_TOGETHER = "together with other terms"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FamilySeparability(Separability):
    """The verdict on the inequalities of a likelihood, whose maximum exists if, and only if, they overlap.

    Attributes
    ----------
    family : str
        The family of the model.
    separated_rows, touching_rows : ndarray of int or None
        The rows of the data in inequalities that can be strict, and all others that are in an inequality.
    separated_strata : list or None
        The strata with such inequalities; None for families without strata.
    rows : ndarray of int
        The rows with a weight, as positions in the data.
    likelihood : Likelihood, optional
        The question; None if it is about two classes or several, and in an answer from a pickle.
    strata : sequence, optional
        The stratum of every row of ``rows``.
    event : str
        What the response is, in a phrase.
    inner : Separability
        The answer about the inequalities, or about the rows with a weight.

    See Also
    --------
    maxmargin.separability : Decide the verdict.

    Examples
    --------
    >>> import maxmargin as mm
    >>> counts, treated = [3, 2, 4, 0, 0], [[0], [0], [0], [1], [1]]
    >>> answer = mm.separability(treated, counts, family="poisson")
    >>> answer.verdict.value, answer.estimate_exists, answer.infinite_columns, answer.separated_rows.tolist()
    ('quasi-separable', False, {0: '-'}, [3, 4])
    """

    rows: Rows
    inner: Separability
    likelihood: Likelihood | None = None
    strata: Sequence[Any] | None = None
    event: str = ""

    @classmethod
    def about(cls, inner: Separability, family: str, rows: Rows, **more: Any) -> "FamilySeparability":
        """Return the answer about data of which `rows` have a weight."""
        likelihood, changes = more.get("likelihood"), dict[str, Any]()
        separated, touching = inner.separated_rows, inner.touching_rows
        if likelihood is not None:
            changes["reason"] = _reason_of(inner, len(likelihood.places))
            if inner.certificate is not None:
                changes["certificate"] = likelihood.stated(inner.certificate)
            if separated is not None:
                separated = likelihood.sources(separated)
                touching = np.setdiff1d(likelihood.places, separated)
        if separated is not None and touching is not None:
            changes |= {"separated_rows": rows[separated], "touching_rows": rows[touching]}
        return cls.of(inner, family=family, rows=rows, inner=inner, **more, **changes)

    @property
    def witness_rows(self) -> Rows | None:
        """The rows of the inequalities that prove that not all can be strict."""
        found = self.inner.witness_rows
        if found is None or self.likelihood is None:
            return found if found is None else self.rows[found]
        places = self.likelihood.places
        return self.rows[np.unique(places[np.minimum(found, len(places) - 1)])]

    @property
    def separated_strata(self) -> list[Any] | None:
        """The strata of rows that are separated, in the order of the data."""
        if self.strata is None or self.separated_rows is None:
            return None
        return list(dict.fromkeys(self.strata[k] for k in np.searchsorted(self.rows, self.separated_rows)))

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a pickle, without the rows."""
        return {**super().__getstate__(), "likelihood": None, "terms": self.terms}

    def _certificate_fields(self) -> dict[str, Any]:
        of_rows = super()._certificate_fields()  # but the weights of a likelihood are those of inequalities
        return of_rows if self.likelihood is None else of_rows | {"witness_weights": None, "balancing_rows": None}

    @cached_property
    def terms(self) -> tuple[Term, ...] | None:
        """The infinite terms with their sign and the reason in words; None if they are not known."""
        if self.likelihood is None or self.names.label is not None or self.columns is None:
            return super().terms
        columns = [self.place(coordinate)[1] - self.likelihood.n_tail for coordinate in self.columns.infinite]
        named = zip(columns, (self.infinite_columns or {}).items(), strict=True)
        return tuple(Term(name=name, sign=sign, reason=self._reason(j, name, sign)) for j, (name, sign) in named)

    def _reason(self, column: int, name: str | int, sign: str) -> str:
        """Return why a term is infinite where rows are compared with others: no comparison is against its sign."""
        assert self.likelihood is not None
        if sign not in OPPOSITE or column < 0:
            return _TOGETHER
        values = self.likelihood.X[:, column] * (1 if sign == "+" else -1)
        how = f"{'lower' if sign == '+' else 'higher'} {name} than a row"
        if self.likelihood.question == "ordinal":
            codes = self.likelihood.responses[:, 0]
            order = [values[codes == code] for code in range(int(codes.max()) + 1)]
            is_alone = all(low.max() <= high.min() for low, high in pairwise(order))
            return f"no row has a {how} of a lower class" if is_alone else _TOGETHER
        first, second = self.likelihood.places.T
        is_alone = bool((values[first] >= values[second]).all())
        what = "event" if self.family == "cox" else "case"
        return f"no {what} has a {how} it is compared with" if is_alone else _TOGETHER

    def finite_part(self) -> FinitePart:
        """Return the rows and columns on which the finite part of a regression of two classes is fitted.

        Raises
        ------
        InvalidOptionError
            For other families, whose ``touching_rows`` are to be fitted again with the same model.
        """
        if self.likelihood is not None:
            raise InvalidOptionError("finite_part is for two classes; fit the model again to the touching_rows alone")
        part = self.inner.finite_part()
        return replace(part, rows=self.rows[part.rows])

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        return super().headline.replace(through(False), "") if self.likelihood is not None else super().headline

    def _event_lines(self) -> list[str]:
        return [printable(self.event)] if self.event else super()._event_lines()

    @property
    def _model(self) -> str:
        return super()._model if self.likelihood is None else _MODELS[self.likelihood.question][0]

    def _rows_lines(self) -> list[str]:
        if self.likelihood is None:
            return super()._rows_lines()
        lines = []
        if self.separated_rows is not None and len(self.separated_rows):
            lines.append(self.names.rows_line("rows that are separated", self.separated_rows, most=MOST_NAMED))
        if self.separated_strata and len(set(self.strata or ())) > 1:
            lines.append(f"  they are in the strata {some(self.separated_strata, MOST_NAMED, '{n} in all')}")
        return lines

    def _steps(self, findings: Findings | None, call: str | None) -> list[str]:
        if self.likelihood is None:
            return super()._steps(findings, call)
        penalty = f"penalise, which makes every estimate finite: {_MODELS[self.likelihood.question][1]}"
        rest = []
        if self.touching_rows is not None and len(self.touching_rows):
            left = counted(len(self.touching_rows), "row")
            rest = [f"fit the finite part: the same model on the {left} in touching_rows, without aliased columns"]
        report = "to report: an infinite coefficient has a likelihood-ratio test, but no Wald test or interval"
        return ["what next, any of", *(f"  {step}" for step in (penalty, *rest)), report]


def _reason_of(inner: Separability, n: int) -> str:
    """Return the proof in words about the n inequalities."""
    if inner.verdict is Verdict.UNDECIDED or inner.touching_rows is None:
        return inner.reason
    weights = f"positive weights that balance exactly on {len(getattr(inner.certificate, 'rows', ()))} of them"
    if inner.verdict is Verdict.OVERLAP:
        return f"no direction makes one of the {n:,} inequalities strict and none false: {weights} prove it"
    n_touching = int((inner.touching_rows < n).sum())
    strict = f"a direction makes {n - n_touching:,} of {n:,} inequalities strict and none false"
    return f"{strict}{f', and none does more: {weights} prove it' if n_touching else ''}"
