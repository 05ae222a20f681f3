"""The comparison in one or two sentences, at the head of the page: one form for each kind of answer."""

import math

from maxmargin.reports.document import Emphasis, Text
from maxmargin.reports.phrasing import Report, fewest_errors, length, novikoff, of_kind, verdict_name
from maxmargin.reports.sections.shared import margin_digits, margin_interval
from maxmargin.text.number_formats import count, floor_of, listed, one_line, percent, plural, rounded, upper_end

_MOST_NAMED = 3


def answer_sentences(report: Report) -> Text:
    """Return the sentences."""
    if report["strictly_separable"]:
        return _converged(report) if report["perceptron"]["converged"] else _stopped(report)
    if verdict_name(report) == "quasi-separable":
        return _quasi(report)
    return _overlap(report) if report["strictly_separable"] is False else _undecided(report)


def _made(report: Report) -> Emphasis:
    return Emphasis(plural(report["perceptron"]["n_mistakes"], "mistake"), "perceptron")


def _converged(report: Report) -> Text:
    run, hard, share = report["perceptron"], report["hard_margin"], report["comparison"]["share_of_maximum"]
    bound = novikoff(report)
    allowed: Text = "" if bound is None else ("; theory allows ", Emphasis(floor_of(bound["value"])), " in any order")
    stopped: Text = ("The perceptron stopped after ", _made(report))
    best = Emphasis(margin_digits(hard), "truth")
    largest: Text = (f"the largest possible margin{of_kind(report)}, γ* = ", best, ", proven.")
    if run["n_errors"] or share is None or share <= 0:
        return joined(stopped, allowed, f". Its hyperplane passes through {plural(run['n_errors'], 'row')}; ", largest)
    kept: Text = (". Its hyperplane keeps ", Emphasis(percent(share), "perceptron"), " of ")
    return joined(stopped, allowed, kept, largest)


def _stopped(report: Report) -> Text:
    run, hard = report["perceptron"], report["hard_margin"]
    state = f" the perceptron still errs on {plural(run['n_errors'], 'row')}."
    if not run["n_errors"]:
        state = " the perceptron was stopped; its hyperplane separates all rows, but its last epoch was not finished."
    best = Emphasis(margin_digits(hard), "truth")
    upper, bound = run["margin_upper"], novikoff(report)
    if upper is None:
        truth: Text = (f" The largest possible margin{of_kind(report)}, proven, is γ* = ", best, ".")
    else:
        times = _times_smaller(upper, hard["lower"])
        truth = (
            " Its mistakes alone prove that the margin is at most ", Emphasis(upper_end(upper, 3), "bound"),
            "; the truth, proven, is γ* = ", best, f"{times}.",
        )  # fmt: skip
    rest = "" if bound is None else f" It may need up to {floor_of(bound['value'])} mistakes."
    return joined("After ", (_made(report),), state, truth, rest)


def _times_smaller(upper: float, lower: float) -> str:
    """Return the ratio of the bound from the mistakes to the margin in words, "" if it is near 1 or not finite."""
    ratio = float(upper) / lower if lower > 0 else 0.0
    return f", {rounded(ratio, 2)} times smaller" if 1.005 < ratio < math.inf else ""


def _overlap(report: Report) -> Text:
    run, best = report["perceptron"], report["fewest_errors"]
    none = f"No hyperplane{of_kind(report)} separates the classes (the maximum margin is 0); "
    if best["reason"] is None:
        least = "" if best["lower"] == best["upper"] else f"{count(best['lower'])} to "
        fewest: Text = ("the best makes ", Emphasis(f"{least}{plural(best['upper'], 'error')}", "truth"), ", proven.")
    else:
        soft = fewest_errors(report)
        errors = run["n_errors"] if soft is None else min(run["n_errors"], soft["n_errors"])
        fewest = ("the best one found makes ", Emphasis(plural(errors, "error"), "truth"), ".")
    return joined(none, fewest, _never_settles(report))


def _never_settles(report: Report) -> Text:
    run = report["perceptron"]
    least, most = run["fewest_mistakes_in_an_epoch"], run["most_mistakes_in_an_epoch"]
    made: Text = (" The perceptron made ", _made(report))
    if least is None:
        return joined(made, " and did not finish an epoch.")
    epochs = f" in {plural(run['n_epochs'], 'epoch')}"
    if run["converged"]:
        return joined(made, f"{epochs} and stopped, by its rule for a score of 0, on a hyperplane through rows.")
    ends = count(least) if least == most else f"{count(least)} to {count(most)}"
    rest = f"{epochs} and never settles: {ends} an epoch, and {plural(run['n_errors'], 'row')} in error at its end."
    return joined(made, rest)


def _quasi(report: Report) -> Text:
    answer, n_rows = report["separability"], report["data"]["n_samples"]
    rows = Emphasis(f"only {count(length(answer, 'separated_rows'))} of {plural(n_rows, 'row')}", "truth")
    infinite, finite = answer["infinite_columns"], answer["finite_columns"]
    if not infinite:
        some = f"Some hyperplane{of_kind(report)} has no row on its wrong side, and separates "
        return joined(some, (rows,), "; all others lie on it, and on every such hyperplane.", _zero(report))
    names = [one_line(name, 30) for name in infinite]
    shown = listed(names) if len(names) <= _MOST_NAMED else plural(len(names), "column")
    separate = "Only " if finite else ""
    noun = "separates" if len(names) == 1 else "separate"
    fate = "Its logistic coefficient is infinite" if len(names) == 1 else "Their logistic coefficients are not finite"
    others = {0: "no other stays finite", 1: "the other is finite"}.get(len(finite), "the others are finite")
    found: Text = (separate, Emphasis(shown, "truth"), f" {noun}, and ", rows, f". {fate}; {others}.")
    return joined(found, _zero(report))


def _zero(report: Report) -> Text:
    """Return the margin of classes that touch, which is 0, and what the perceptron makes of them."""
    run = report["perceptron"]
    end = " and stopped on a hyperplane through rows." if run["converged"] else ", without an end."
    epochs = f" in {plural(run['n_epochs'], 'epoch')}{end}"
    return (f" The maximum margin{of_kind(report)} is 0; the perceptron made ", _made(report), epochs)


def _undecided(report: Report) -> Text:
    hard, kind = report["hard_margin"], of_kind(report)
    known: Text = "No bound of the margin is proven."
    if hard["upper"] is not None:
        known = f"It is proven that the margin{kind} is in {margin_interval(hard)}."
    return joined(
        known, f" Whether a hyperplane{kind} separates the classes is open. ", "The perceptron made ",
        (_made(report),), " without converging.",
    )  # fmt: skip


def joined(*parts: Text) -> Text:
    """Return parts of a sentence as one text."""
    return tuple(piece for part in parts for piece in ((part,) if isinstance(part, str) else part) if piece != "")
