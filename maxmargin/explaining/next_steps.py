"""Advice for statisticians with separated data: ways to go on, and the estimates that can be reported."""

from collections.abc import Sequence

from maxmargin.explaining.finite_part import other_meaning
from maxmargin.explaining.terms import OPPOSITE, Absence, Findings
from maxmargin.solvers.answers.answer_text import counted, some
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

# Largest number of levels or columns that a line of advice names.
_MOST_NAMED = 6


def next_steps(answer: ProvenVerdict, findings: Findings | None, *, call: str | None) -> list[str]:
    """Return the lines of advice about separated data; the last ones are about reporting.

    Parameters
    ----------
    answer : ProvenVerdict
        Separable or quasi-separable.
    findings : Findings, optional
        Facts about the infinite terms, on which some advice rests.
    call : str, optional
        The call in Python that gives the answer, for readers of a command.
    """
    steps = _penalties(is_multinomial=answer.n_inequalities is not None)
    if findings is not None:
        steps += _about_levels(answer, findings)
    if answer.n_inequalities is None:
        if findings is not None and findings.are_indicators:
            steps += [
                "where the other columns take few values, exact logistic regression (exlogistic in Stata, EXACT "
                "in SAS) gives one finite limit for an infinite coefficient",
            ]
        if answer.verdict is Verdict.SEPARABLE:
            steps.append("if a rule that predicts is enough: maxmargin.hard_margin(X, y) is farthest from all rows")
        elif answer.remaining_columns:
            steps += _finite_part(answer, findings, call)
    return ["what next, any of", *(f"  {step}" for step in steps), *_reporting(answer, is_known=findings is not None)]


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
    names = list(dict.fromkeys(absence.name for absence in found))
    if not names:
        return []
    assert answer.columns is not None
    # As many independent directions as the cone has dimensions span it, and each is 0 once its level is merged.
    is_all = answer.n_inequalities is None and len(found) == answer.columns.dimension and not answer.columns.aliased
    both = "both classes occur" if answer.n_inequalities is None else "all classes occur"
    rows = f"its {counted(found[0].n_rows, 'row')}" if len(names) == 1 else "their rows"
    then = "the data then overlap" if is_all else "then check again"
    return [
        f"merge {some(names, _MOST_NAMED, '{more} more')} with a level in which {both}, or leave out {rows}: {then}",
        *_about_columns(found),
    ]


def _about_columns(found: Sequence[Absence]) -> list[str]:
    """Return the consequence of dropping the column of a level."""
    of_columns = [absence for absence in found if not absence.is_reference and absence.factor.reference is not None]
    if not of_columns:
        return []
    factor, level = of_columns[0].factor, of_columns[0].level
    reference = printable(factor.level(factor.reference))
    return [
        f"  (dropping the column {printable(factor.columns[level])} merges the level with the reference, {reference})"
    ]


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
        f"  (its coefficients of {some(others, _MOST_NAMED, '{more} more')} "
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
