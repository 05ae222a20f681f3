"""The answer to whether classes are separable, in words: verdict, proof, meaning for a regression, and advice."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np

from maxmargin.explaining.absences import Absence
from maxmargin.explaining.finite_part import FinitePart, finite_part_of, other_meaning
from maxmargin.explaining.near_columns import near_lines, relation
from maxmargin.explaining.terms import OPPOSITE, Findings, Term, findings_of, terms_lines, terms_of
from maxmargin.solvers.answers.answer_text import (
    LISTED_ELSEWHERE,
    NamedAnswer,
    counted,
    cut,
    intercept,
    some,
    through,
    without_intercepts,
)
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.dyadic import nearest_floats, text
from maxmargin.solvers.exact.linear import independent_rows
from maxmargin.solvers.proof.certificate import CommonHullPoint, Overlap, QuasiSeparation, SeparatingHyperplane
from maxmargin.solvers.separability.near_aliases import NearAliases
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

# Fields that take long to compute for large separable data.
_OF_COLUMNS = ("infinite_columns", "finite_columns", "aliased_columns", "dimension")

# Fields about columns that are dependent up to rounding.
_OF_NEAR = ("nearly_aliased_columns", "verdict_without_nearly_aliased")

# Largest number of rows or columns that a line of the text names.
MOST_NAMED = 10

# Largest number of infinite coefficients that a card names.
_MOST_IN_CARD = 4

# Largest number of coefficients, and of entries of X, for which the text names the infinite coefficients of separable
# data without being asked: each takes up to two or three seconds.
_CHEAP_WIDTH, _CHEAP_ENTRIES = 84, 50_000_000

# Largest number of levels or columns that a line of advice names.
_MOST_ADVISED = 6


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Separability(ProvenVerdict, NamedAnswer):
    """The verdict on two or more classes, and its proof.

    Attributes
    ----------
    verdict : Verdict
        Whether the classes are separable, quasi-separable, or overlap; `undecided` without a proof.
    strictly_separable : bool or None
        Whether some hyperplane has every row strictly on its side; None if that is not proven.
    certificate : Certificate or None
        The proof of the verdict, or of ``strictly_separable`` if the verdict is not proven.
    witness : CommonHullPoint or None
        The common point of the two convex hulls, if there is one; on at most d + 2 rows it excludes strict separation.
    reason : str
        The proof in words, or why there is none.
    engine : str
        The engine that found the proof.
    separated_rows : ndarray of int or None
        The rows that are strictly on their side of some hyperplane that has no row on the wrong side; None if
        undecided. As those of ``touching_rows`` and ``witness_rows``, they are positions in X; `to_dict` and `to_frame`
        number the rows of the source.
    touching_rows : ndarray of int or None
        The rows that lie on every such hyperplane, as positions in X; None if undecided.
    partly_separated_rows : ndarray of int, optional
        For more than two classes, the touching rows that can be strictly separated from some of the other classes.
    attempts : tuple of SolverRun
        The solver runs, with what each solver claimed.
    find_columns : callable, optional
        The function that computes ``columns``.
    find_details : callable, optional
        The function that returns the ``details``.
    find_near : callable, optional
        The function that returns `near`.
    n_inequalities : int, optional
        For more than two classes, the number of inequalities of a row and another class.
    n_strict : int, optional
        For more than two classes, the number of inequalities that can be strict at once.
    n_features : int, optional
        The number of columns of X.
    bias : bool
        Whether hyperplanes have a bias.
    class_names : tuple of str, optional
        For more than two classes, their names: columns are then called by class and name, and the first class is the
        reference.
    positive : label or None
        The class that is +1; None for more than two classes.
    positive_reason : str or None
        Why that class is +1.
    negative : label or None
        The class that is -1; ``"rest"`` for several.
    names : Names
        What the rows and the columns are called.
    family : str or None
        The family of the model that was asked about; None for the classes themselves.

    See Also
    --------
    maxmargin.separability : Decide the verdict.

    Examples
    --------
    >>> import maxmargin as mm
    >>> answer = mm.separability([[1.0], [2.0], [2.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> answer.verdict.value, answer.strictly_separable
    ('quasi-separable', False)
    >>> answer.separated_rows.tolist(), answer.touching_rows.tolist()
    ([0, 3], [1, 2])
    """

    find_near: Callable[[], NearAliases] | None = None
    family: str | None = None

    @classmethod
    def of(cls, verdict: ProvenVerdict, **changes: Any) -> Self:
        """Return a proven verdict with its words; `changes` replace fields, as `dataclasses.replace` does."""
        return cls(**{field.name: getattr(verdict, field.name) for field in fields(verdict)} | changes)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a pickle: the answer with its columns and terms computed, without the rows."""
        found = {name: getattr(self, name) for name in ("columns", "findings", "terms", "remaining_columns", *_OF_NEAR)}
        found |= dict.fromkeys(("details", "near", "find_columns", "find_details", "find_near"))
        return {**vars(self), **found}

    def fields(self, *, with_columns: bool = True) -> dict[str, Any]:
        """Return the fields of ``maxmargin check --json``; columns that are not wanted are None."""
        inequalities = {
            "n_inequalities": self.n_inequalities,
            "n_strict": self.n_strict,
            **self.names.fields("partly_separated_rows", self.partly_separated_rows),
        }
        return {
            "verdict": self.verdict.value,
            **self._attributes("family", "estimate_exists", "strictly_separable", "proof", "reason"),
            **cut("separated_strata", self.separated_strata),
            **self.names.fields("separated_rows", self.separated_rows),
            **self.names.fields("touching_rows", self.touching_rows),
            **{name: getattr(self, name) if with_columns else None for name in _OF_COLUMNS},
            **{name: getattr(self, name) for name in _OF_NEAR},
            "terms": [asdict(term) for term in self.terms] if with_columns and self.terms is not None else None,
            **self.names.fields("witness_rows", self.witness_rows),
            **self._certificate_fields(),
            **({} if self.n_inequalities is None else inequalities),
            "engine": self.engine,
            "attempts": [asdict(run) for run in self.attempts],
        }

    def _certificate_fields(self) -> dict[str, Any]:
        plane = weights = rows = None
        if isinstance(self.certificate, SeparatingHyperplane | QuasiSeparation):
            plane = _hyperplane_fields(self.certificate.w, self.certificate.b)
        if isinstance(self.witness, CommonHullPoint):
            weights = [_fraction_text(weight) for weight in self.witness.fractions()]
        if isinstance(self.certificate, Overlap | QuasiSeparation):
            rows = self.names.numbers(np.array(self.certificate.rows, dtype=np.int64))
        return {"hyperplane": plane, "witness_weights": weights, "balancing_rows": rows}

    def summary(self, *, with_columns: bool | None = None, remarks: Sequence[str] = (), call: str | None = None) -> str:
        """Return the text of ``maxmargin check``: the verdict, its reason with the rows, the terms, and advice.

        Parameters
        ----------
        with_columns : bool, optional
            Whether to name the infinite terms; by default if `has_cheap_columns`.
        remarks : sequence of str
            Further lines, which come before the last one.
        call : str, optional
            The call in Python that gives this answer, for readers of a command.
        """
        is_known = self.has_cheap_columns if with_columns is None else with_columns
        lines = [*self._event_lines(), self.headline, f"  {printable(self.reason_alone)}"]
        if self.strictly_separable is False:
            lines += self._rows_lines()
        lines += self.near_lines()
        if self.verdict is not Verdict.UNDECIDED:
            lines += self._logistic_lines(is_known)
        lines += [f"  {printable(note)}" for note in self.names.notes]
        if self.verdict in (Verdict.SEPARABLE, Verdict.QUASI_SEPARABLE):
            lines += self._steps(self.findings if is_known else None, call)
        last = f"found by {self.engine}" if self.proof else f"verdict: {self.verdict.advice_for(bias=self.bias)}"
        return "\n".join([*lines, *remarks, f"  {last}"])

    @property
    def estimate_exists(self) -> bool | None:
        """Whether the maximum-likelihood estimate of the model exists; None if that is undecided."""
        return None if self.verdict is Verdict.UNDECIDED else self.verdict is Verdict.OVERLAP

    @property
    def separated_strata(self) -> list[Any] | None:
        """The strata with rows that are separated; None for families without strata."""
        return None

    @property
    def reason_alone(self) -> str:
        """The reason without the verdict at its beginning."""
        return self.reason.removeprefix(self.headline.replace(" (proven)", ": "))

    def _event_lines(self) -> list[str]:
        """Return the line that says which class is the event."""
        if self.positive is None or self.names.label is None:
            return []
        other = "all others" if self.negative == "rest" else printable(str(self.negative))
        event = f"the event (+1) is {printable(str(self.positive))}, against {other}"
        return [f"{printable(self.names.label)}: {event}; {printable(str(self.positive_reason))}"]

    def near_lines(self) -> list[str]:
        """Return the lines about columns that are dependent up to rounding; none if nothing is proven."""
        if self.verdict is Verdict.UNDECIDED or self.certificate is None or not self.nearly_aliased_columns:
            return []
        stored = "as stored" if self.certificate.problem.reading == "binary64" else "exactly as they are"
        found, without = self.nearly_aliased_columns, self.verdict_without_nearly_aliased
        return near_lines(found, verdict=self.verdict, without=without, stored=stored, most=MOST_NAMED)

    def _rows_lines(self) -> list[str]:
        n_witnesses = 0 if self.witness_rows is None else len(self.witness_rows)
        excluded = f"no hyperplane{through(self.bias)} has every row strictly on its side"
        if self.n_inequalities is not None:
            excluded = f"no scores{without_intercepts(self.bias)} put the class of every row strictly first"
        shows = f"{counted(n_witnesses, 'row')} of which alone it follows that {excluded}"
        parts = (("strictly separated rows", self.separated_rows), (shows, self.witness_rows))
        known = ((title, rows) for title, rows in parts if rows is not None and len(rows))
        return [self.names.rows_line(title, rows, most=MOST_NAMED) for title, rows in known]

    @property
    def _model(self) -> str:
        """The name of the model whose estimate is in question."""
        return f"logistic regression{intercept(self.bias)}"

    def _logistic_lines(self, with_columns: bool) -> list[str]:
        """Return the lines about the estimate of a logistic regression, or of another model."""
        model = f"  {self._model}"
        aliased = list((with_columns and self.aliased_columns) or ())
        dependent = f"  aliased columns (they depend linearly on those before): {_some(aliased)}"
        aliased_lines = [dependent] if aliased else []
        if self.verdict is Verdict.OVERLAP:
            return [f"{model}: the maximum-likelihood estimate exists", *aliased_lines]
        terms = self.terms if with_columns else None
        if terms is None:
            options = "--exact-limit" if self.find_columns is None else "--columns, --time-limit"
            which = "which coefficients are infinite was"
            if self.verdict is Verdict.SEPARABLE:
                which = "all coefficients are infinite but those of aliased columns; their signs were"
            columns = [f"  {which} not computed ({options})"]
        else:
            finite = f"  finite coefficients: {_some(list(self.finite_columns or ()) or ['none'])}"
            columns = [*terms_lines(self, terms, self.findings, MOST_NAMED), finite, *aliased_lines]
        return [f"{model}: no finite maximum-likelihood estimate", *columns]

    def _steps(self, findings: Findings | None, call: str | None) -> list[str]:
        """Return the lines of advice about separated data; the last ones are about reporting.

        Parameters
        ----------
        findings : Findings, optional
            Facts about the infinite terms, on which some advice rests.
        call : str, optional
            The call in Python that gives the answer, for readers of a command.
        """
        steps = _penalties(is_multinomial=self.n_inequalities is not None)
        if findings is not None:
            steps += _about_levels(self, findings)
        if self.n_inequalities is None:
            if findings is not None and findings.are_indicators:
                steps.append(
                    "where the other columns take few values, exact logistic regression (exlogistic in Stata, EXACT "
                    "in SAS) gives one finite limit for an infinite coefficient"
                )
            if self.verdict is Verdict.SEPARABLE:
                steps.append("if a rule that predicts is enough: maxmargin.hard_margin(X, y) is farthest from all rows")
            elif self.remaining_columns:
                steps += _finite_part(self, findings, call)
        return ["what next, any of", *(f"  {step}" for step in steps), *_reporting(self, is_known=findings is not None)]

    def _card_fields(self) -> dict[str, Any]:
        rows = {"rows strictly separated": self.separated_rows, "rows on every hyperplane": self.touching_rows}
        infinite = self.infinite_columns if self.has_cheap_columns else None
        if self.verdict is Verdict.OVERLAP:
            rows, infinite = {"rows that prove it": self.witness_rows}, {}
        names = [
            f"{name if isinstance(name, str) else f'column {name}'} {sign}" for name, sign in (infinite or {}).items()
        ]
        shown = some(names, _MOST_IN_CARD, "{n} in all") or "none"
        return {
            "verdict": self.verdict.value,
            "proof": "exact arithmetic" if self.proof else "none",
            "+1": self.positive if self.positive is None else str(self.positive),
            **{name: None if found is None else len(found) for name, found in rows.items()},
            "infinite coefficients": "not computed" if infinite is None else shown,
        }

    def _table_fields(self) -> dict[str, Any]:
        """Return the fields with the columns if they are found quickly."""
        return self.fields(with_columns=self.has_cheap_columns)

    @property
    def has_cheap_columns(self) -> bool:
        """Whether finding the columns takes a moment only, as it does whenever the data are not separable."""
        if self.verdict is not Verdict.SEPARABLE or self.separated_rows is None or self.n_features is None:
            return True
        n_samples = len(self.separated_rows)
        blocks = 1 if self.n_inequalities is None else self.n_inequalities // n_samples
        return blocks * (self.n_features + 1) <= _CHEAP_WIDTH and n_samples * self.n_features <= _CHEAP_ENTRIES

    @cached_property
    def findings(self) -> Findings | None:
        """The evidence in the columns for the infinite terms; None if these are not known."""
        return findings_of(self)

    @cached_property
    def terms(self) -> tuple[Term, ...] | None:
        """The infinite terms with their sign and the reason in words; None if they are not known."""
        return None if self.findings is None else terms_of(self, self.findings)

    def finite_part(self) -> FinitePart:
        """Return the rows and columns on which the finite part of the maximum-likelihood estimate is fitted.

        Returns
        -------
        FinitePart
            The rows that touch every hyperplane, in the columns that are linearly independent there. A term that is
            infinite in the whole model may be among them: it then means something else (`FinitePart.infinite`).

        Raises
        ------
        InvalidOptionError
            If the verdict is undecided, there are more than two classes, or the answer was unpickled, without its rows.

        Examples
        --------
        >>> import maxmargin as mm
        >>> answer = mm.separability([[1, 0], [2, 0], [3, 0], [1, 1]], ["no", "yes", "no", "yes"])
        >>> part = answer.finite_part()
        >>> part, part.X.tolist(), part.y.tolist()
        (<FinitePart 3 rows, 1 column and an intercept>, [[1.0], [2.0], [3.0]], [0, 1, 0])

        `part.X` has no column for the intercept, and statsmodels adds none itself:

        >>> import statsmodels.api as sm  # doctest: +SKIP
        >>> fit = sm.Logit(part.y, sm.add_constant(part.X)).fit()  # doctest: +SKIP
        """
        if self.n_inequalities is not None or self.verdict is Verdict.UNDECIDED:
            raise InvalidOptionError(f"finite_part needs a verdict on two classes; found {self.headline}")
        if self.details is None:
            raise InvalidOptionError("the answer does not have its rows any more; ask maxmargin.separability again")
        return finite_part_of(self)

    def _roles(self) -> tuple[tuple[str, Any], ...]:
        roles = ("witness", "separated", "touching", "partly separated")
        found = ((role, getattr(self, f"{role.replace(' ', '_')}_rows")) for role in roles)
        return tuple((role, rows) for role, rows in found if rows is not None)

    def _columns_table(self) -> dict[str, Any]:
        terms = [(str(term.name), term.sign, term.reason) for term in self.terms or ()]
        finite = [(str(name), "finite", "") for name in self.finite_columns or ()]
        reason = "depends linearly on the columns before it"
        aliased = [(str(name), "aliased", reason) for name in self.aliased_columns or ()]
        columns = zip(*[*terms, *finite, *aliased], strict=True) if terms or finite or aliased else ((), (), ())
        return dict(zip(("name", "sign", "reason"), map(list, columns), strict=True))

    @cached_property
    def near(self) -> NearAliases | None:
        """The columns that are linearly dependent up to rounding; None for an answer from a pickle."""
        return None if self.find_near is None else self.find_near()

    @cached_property
    def nearly_aliased_columns(self) -> dict[str | int, str] | None:
        """Columns that depend linearly on the bias and columns before them up to rounding, and not exactly; in words.

        None if they were not looked for: in data of more than 300 columns or 5,000,000 entries, or not in memory.
        """
        if self.near is None or self.near.found is None:
            return None
        return {self.feature_name(alias.column): relation(self, alias) for alias in self.near.found}

    @cached_property
    def verdict_without_nearly_aliased(self) -> Verdict | None:
        """The verdict without the nearly aliased columns, sought for at most 10 seconds; None if there are none."""
        return None if self.near is None else self.near.verdict_without


def _hyperplane_fields(w: Sequence[Fraction], b: Fraction) -> dict[str, Any]:
    """Return w and b as floats, divided by a power of two if they overflow, and exactly as texts."""
    try:
        floats = [float(v) for v in (*w, b)]
    except OverflowError:
        rounded = nearest_floats([*w, b])
        floats = [float("nan")] * (len(w) + 1) if rounded is None else rounded.tolist()
    return {"w": floats[:-1], "b": floats[-1], "w_exact": [_fraction_text(v) for v in w], "b_exact": _fraction_text(b)}


def _fraction_text(value: Fraction) -> str:
    return f"{text(value.numerator)}/{text(value.denominator)}"


def _some(values: Sequence[object]) -> str:
    return some(values, MOST_NAMED, LISTED_ELSEWHERE)


# Advice for statisticians with separated data: ways to go on, and the estimates that can be reported


def _penalties(*, is_multinomial: bool) -> list[str]:
    ridge = "LogisticRegression(C=1.0).fit(X, y)"
    way = "Firth's penalty, FirthLogisticRegression().fit(X, y) (pip install firthmodels)"
    if is_multinomial:
        way = "the reduction of bias of R's brglm2, brmultinom(y ~ x, data)"
    made = "penalise, which makes every estimate finite, with X in columns of numbers, as in this model"
    return [f"{made}: {way}, or a ridge, {ridge}"]


def _about_levels(answer: ProvenVerdict, findings: Findings) -> list[str]:
    """Return the advice to merge levels in which a class does not occur, or to leave out their rows."""
    found = [absence for absence in findings.absences if absence.can_merge]
    names = list(dict.fromkeys(absence.name if len(absence.levels) == 1 else f"({absence.name})" for absence in found))
    if not names:
        return []
    kinds = sorted({"level" if len(absence.levels) == 1 else "cell" for absence in found}, reverse=True)
    assert answer.columns is not None
    # As many independent directions as the cone has dimensions span it, and each is 0 once its level is merged.
    weights = [[absence.moves.get(column, 0) for column in range(answer.n_features + 1)] for absence in found]
    n_found = len(independent_rows(np.array(weights, dtype=object)))
    is_all = answer.n_inequalities is None and n_found == answer.columns.dimension and not answer.columns.aliased
    both = "both classes occur" if answer.n_inequalities is None else "all classes occur"
    rows = f"its {counted(found[0].n_rows, 'row')}" if len(names) == 1 else "their rows"
    then = "the data then overlap" if is_all else "then check again"
    return [
        f"merge {some(names, _MOST_ADVISED, '{more} more')} with a {' or '.join(kinds)} in which {both}, "
        f"or leave out {rows}: {then}",
        *_about_columns(answer, found),
    ]


def _about_columns(answer: ProvenVerdict, found: Sequence[Absence]) -> list[str]:
    """Return the consequence of dropping the column of a level."""
    said = "  (dropping the column {} merges the level with the reference, {})"
    names = {absence.name for absence in found}
    return [
        said.format(printable(column), printable(factor.level(factor.reference)))
        for factor in answer.names.factors if factor.reference is not None
        for level, column in factor.columns.items() if factor.level(level) in names
    ][:1]  # fmt: skip


def _finite_part(answer: ProvenVerdict, findings: Findings | None, call: str | None) -> list[str]:
    assert answer.touching_rows is not None
    has_intercept = answer.n_features in (answer.remaining_columns or ())
    constant, design = ('"const", ', "sm.add_constant(part.X)") if has_intercept else ("", "part.X")
    where = "from the answer of maxmargin.separability" if call is None else "in Python"
    return [
        f"fit the finite part, on the {counted(len(answer.touching_rows), 'row')} that overlap, {where}:",
        *([] if call is None else ["  import maxmargin", f"  answer = {call}"]),
        "  import statsmodels.api as sm",
        "  part = answer.finite_part()",
        f"  fit = sm.Logit(part.y, {design}).fit()",
        f"  print(fit.summary(xname=[{constant}*map(str, part.columns)]))",
        *([] if findings is None else _about_meaning(answer, findings)),
    ]


def _about_meaning(answer: ProvenVerdict, findings: Findings) -> list[str]:
    """Return the lines about coefficients of the finite part that differ from the coefficients of the whole model."""
    others = other_meaning(answer)
    if not others:
        return []
    has_other_reference = any(absence.is_reference for absence in findings.absences)
    why = "; another level is the reference there" if has_other_reference else ""
    return [
        f"  (its coefficients of {some(others, _MOST_ADVISED, '{more} more')} "
        f"are not those of the whole model, where these are infinite or not determined{why})",
    ]


def _reporting(answer: ProvenVerdict, *, is_known: bool) -> list[str]:
    """Return the lines about the standard errors, tests and intervals that can be reported."""
    signs = answer.columns.infinite.values() if is_known and answer.columns is not None else ()
    interval = " and a one-sided profile interval" if any(sign in OPPOSITE for sign in signs) else ""
    infinite = f"an infinite coefficient has a likelihood-ratio test{interval}, but no Wald test or interval"
    if answer.n_inequalities is not None or not is_known or not (answer.columns and answer.columns.finite):
        return [f"to report: {infinite}"]
    return [
        "to report: the standard errors of the finite coefficients are those of the fit of the finite part; "
        f"{infinite}",
    ]
