"""Why the run made so many mistakes, or so few: Novikoff's curves, the bounds that hold, other orders, the origin."""

import math

from maxmargin.reports.document import Block, Explanation, FigureSlot, Paragraph, TableBlock
from maxmargin.reports.phrasing import Report, bound_title, holding_bounds, of_kind
from maxmargin.reports.sections.orders_section import FOUND
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import count, floor_of, percent, plural, typeset


def title(report: Report) -> str:
    """Return the question of the section."""
    return "Why so many mistakes, or so few?" if report["strictly_separable"] else "Why so many mistakes?"


def blocks(report: Report) -> tuple[Block, ...]:
    """Return the section."""
    if not report["perceptron"]["n_mistakes"]:
        what = "made no mistake" if report["perceptron"]["converged"] else "was stopped before its first mistake"
        return (Paragraph(f"The run {what}."), *_orders(report))
    return (FigureSlot("curves"), *_bounds(report), *_orders(report), Paragraph(_origin(report)))


def _bounds(report: Report) -> tuple[Block, ...]:
    presented = [bound for bound in report["bounds"] if bound["name"] == "trivial" and bound["value"] is not None]
    holding = sorted(holding_bounds(report) + presented, key=lambda bound: (bound["value"], bound["name"]))
    made = report["perceptron"]["n_mistakes"]
    if len(holding) == len(presented):
        return (Paragraph(f"No bound on the mistakes holds but the number of presentations. {_not_holding(report)}"),)
    largest = max(bound["value"] for bound in holding)
    rows = tuple(
        (bound_title(name), floor_of(value), percent(made / max(math.floor(value), 1)), runs)
        for name, runs, value in ((bound["name"], bound["holds_for"], bound["value"]) for bound in holding)
    )
    shares = {(row, 1): _share(bound["value"], largest) for row, bound in enumerate(holding)}
    explained = tuple(
        Explanation(typeset(bound["assumption"]), bound["name"], typeset(bound["reference"])) for bound in holding
    )
    caption = f"Bounds on the mistakes, of which this run made {count(made)}, tightest first"
    table = TableBlock(
        caption, ("Bound", "Mistakes, at most", "Used", "Holds for"), rows, numeric=(1, 2), shares=shares,
        explained=explained, note=f"Bars are logarithmic. {_not_holding(report)}".strip(),
    )  # fmt: skip
    return (table,)


def _share(value: float, largest: float) -> float:
    """Return the share of a bar on a logarithmic axis from 1."""
    return math.log10(max(value, 1.0)) / math.log10(largest) if largest > 1 else 1.0


def _not_holding(report: Report) -> str:
    others = [bound_title(bound["name"]) for bound in report["bounds"] if not bound["valid"]]
    if not others:
        return ""
    why = "its assumption is" if len(others) == 1 else "their assumptions are"
    return f"Not shown, as {why} not met: {'; '.join(others)}."


def _orders(report: Report) -> tuple[Block, ...]:
    orders = report["orders"]
    if orders["reason"] is not None:
        return (Paragraph(f"Other orders of the rows were not tried: {orders['reason']}."),)
    return (FigureSlot("orders"), Paragraph(_orders_text(report)))


def _orders_text(report: Report) -> str:
    orders = report["orders"]
    quantiles = dict(map(tuple, orders["quantiles"]))
    source = orders["file_order"]["n_mistakes"]
    tried = f"{plural(orders['n_orders'], 'random order')} of the rows"
    if quantiles[0.0] == quantiles[1.0]:
        made = f"All of {tried} make {plural(int(quantiles[0.0]), 'mistake')}"
    else:
        made = f"Half of {tried} make {count(quantiles[0.5])} mistakes or fewer"
    passes = "" if orders["max_epochs"] is None else " in one pass"
    sentences = [f"{made}{passes}; the order of the source makes {count(source)}.", _sorted(report), _cut(orders)]
    sentences.append(_extremes(orders))
    return " ".join(filter(None, sentences))


def _sorted(report: Report) -> str:
    return wording("sorted_by_class") if report["orders"]["is_sorted_by_class"] else ""


def _cut(orders: Report) -> str:
    n_cut = orders["n_capped"]
    if orders["max_epochs"] is not None or not n_cut:
        return ""
    verb = "was" if n_cut == 1 else "were"
    return f"{count(n_cut)} of them {verb} stopped after {plural(orders['max_mistakes'], 'mistake')}."


def _extremes(orders: Report) -> str:
    least, most = orders["best"], orders["worst"]
    if most["proven"]:
        ending = f"no sequence of these rows makes more than {count(most['n_mistakes'])}, proven"
    else:
        ending = f"the most found are {count(most['n_mistakes'])}, {FOUND[most['engine']]}; more may be possible"
    return f"The fewest found are {count(least['n_mistakes'])}, {FOUND[least['engine']]}; {ending}."


def _origin(report: Report) -> str:
    moved, run = report["translation"], report["perceptron"]
    if moved["reason"] is not None:
        return f"The run was not repeated on centred data: {moved['reason']}."
    if not moved["converged"] and not run["converged"]:
        limit = f" within {plural(moved['n_mistakes'], 'mistake')}"
        within = "" if report["strictly_separable"] is False else limit
        return f"With every column centred, the perceptron does not converge{within} either."
    made = f"{plural(moved['n_mistakes'], 'mistake')}{'' if moved['converged'] else ' (stopped)'}"
    stays = f"The largest margin{of_kind(report)} does not depend on where the origin lies, but the mistakes do"
    if not report["strictly_separable"]:
        stays = "Separability does not depend on where the origin lies, but the mistakes do"
    return f"{stays}: with every column centred, the perceptron makes {made} instead of {count(run['n_mistakes'])}."
