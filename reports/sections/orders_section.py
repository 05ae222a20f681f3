"""The section on the mistakes in other orders of the rows."""

from maxmargin.reports.document import Block, Paragraph, TableBlock
from maxmargin.reports.phrasing import Report, bound_title
from maxmargin.reports.study.parts.orders_part import ADVERSARY, LOCAL_SEARCH, RANDOM, SOURCE
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import count, floor_of, percent, plural, rounded

# How the fewest or the most mistakes were found.
FOUND = {
    SOURCE: "in the order of the source",
    RANDOM: "in a random order",
    LOCAL_SEARCH: "by a local search among orders",
    ADVERSARY: "by an adversary, who may choose and repeat any row at any time",
}


def order_blocks(report: Report) -> tuple[Block, ...]:
    """Return the section."""
    orders = report["orders"]
    if orders["reason"] is not None:
        return ()
    return (
        Paragraph(_orders_opening(orders)),
        _orders_table(orders),
        Paragraph(_worst_text(orders)),
        *_margin_text(report),
    )


def _orders_opening(orders: Report) -> str:
    quantiles = dict(map(tuple, orders["quantiles"]))
    until = "until convergence" if orders["max_epochs"] is None else f"for one pass, because {orders['why_one_pass']}"
    return (
        "Separability does not depend on the order of the rows, but the mistakes do. The perceptron ran in "
        f"{plural(orders['n_orders'], 'random order')}, each {until}. Half of them made {count(quantiles[0.5])} "
        f"mistakes or fewer; nine in ten made between {count(quantiles[0.05])} and {count(quantiles[0.95])}. The order "
        f"of the source makes {count(orders['file_order']['n_mistakes'])}.{_cut(orders)}"
    )


def _cut(orders: Report) -> str:
    n_cut = orders["n_orders"] - orders["n_converged"]
    if orders["max_epochs"] is not None or not n_cut:
        return ""
    return f" {count(n_cut)} of the orders did not converge within {plural(orders['max_mistakes'], 'mistake')}."


def _orders_table(orders: Report) -> TableBlock:
    rows = [
        ("Order of the source", *_cells(orders["file_order"])),
        ("Fewest mistakes found in an order", *_cells(orders["best_order"])),
        ("Fewest in a random order", count(orders["least"]), ""),
        ("Mean over the random orders", rounded(orders["mean"], 4), ""),
        ("Most in a random order", count(orders["most"]), ""),
        ("Most mistakes found in an order", *_cells(orders["worst_order"])),
    ]
    if orders["sequence"] is not None:
        rows.append((f"Adversary who chooses every row ({orders['sequence']['rule']})", _chosen(orders), ""))
    if orders["worst"]["proven"]:
        rows.append(("Longest of all sequences, proven", count(orders["worst"]["n_mistakes"]), ""))
    rows += [
        (f"Bound: {bound_title(bound['name'])}", floor_of(bound["value"]), "")
        for bound in orders["bounds"]
        if not bound["vacuous"]
    ]
    return TableBlock("Mistakes by order", ("", "Mistakes", "Epochs"), tuple(rows), numeric=(1, 2))


def _cells(found: Report) -> tuple[str, str]:
    return count(found["n_mistakes"]), count(found["n_epochs"])


def _chosen(orders: Report) -> str:
    sequence = orders["sequence"]
    return f"{'' if sequence['is_complete'] else '≥ '}{count(sequence['n_mistakes'])}"


def _worst_text(orders: Report) -> str:
    worst = orders["worst"]
    if worst["proven"]:
        return wording("worst_order_proven", mistakes=plural(worst["n_mistakes"], "mistake"))
    text = wording("worst_order_found", how=FOUND[worst["engine"]], mistakes=count(worst["n_mistakes"]))
    if orders["max_epochs"] is not None:
        return f"{text} The bounds apply to one pass, in any order."
    return f"{text} The bounds hold for any order, and any sequence, of these rows."


def _margin_text(report: Report) -> tuple[Paragraph, ...]:
    margins, best = report["orders"]["margins"], report["hard_margin"]["upper"]
    if margins is None or not best:
        return ()
    least, median, greatest = (percent(margins[key] / best) for key in ("least", "median", "greatest"))
    return (
        Paragraph(
            f"The margins achieved in the random orders range from {least} to {greatest} of γ*; half of them are "
            f"{median} or less (in floating point)."
        ),
    )
