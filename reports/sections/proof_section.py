"""The proof: what is claimed, in three lines, and the place where a page checks it."""

from fractions import Fraction

from maxmargin.reports.document import Block, DetailsBlock, Paragraph, Points, ProofSlot, facts
from maxmargin.reports.phrasing import Report, of_kind, score
from maxmargin.reports.templates import wording
from maxmargin.solvers.exact.dyadic import round_down
from maxmargin.text.number_formats import count, plural, rounded

# Digits of an integer that are shown at either end, if it has more than twice as many.
_SHOWN = 24


def blocks(report: Report) -> tuple[Block, ...]:
    """Return the section."""
    proof = report["certificate"]
    if proof is None:
        why = "No proof was found" if report["separability"]["proof"] is None else "The proof is not in this page"
        return (Paragraph(f"{why}: {report['certificate_reason']}."),)
    return (Points(tuple(claims(report))), *_fractions(proof), ProofSlot(), Paragraph(wording("verify_in_python")))


def claims(report: Report) -> list[str]:
    """Return what the proof claims, in up to three sentences."""
    proof, data = report["certificate"], report["data"]
    n_rows = plural(data["n_samples"], "row")
    found = []
    if "direction" in proof and proof["direction"] is not None:
        first, sign = shortened(proof["direction"][0]), "≥ 0" if proof["claim"] == "quasi-separable" else "> 0"
        found.append(
            f"A hyperplane{of_kind(report)} with integer coefficients, the first of them {first}, has "
            f"{score(report)} {sign} on {'all' if sign == '> 0' else 'each of the'} {n_rows}."
        )
    if "margin_squared" in proof:
        found += _margin(proof, bias=data["bias"])
    elif proof.get("rows"):
        found.append(
            f"{plural(len(proof['rows']), 'row')} with positive integer weights, the first of them "
            f"{shortened(proof['weights'][0])}, balance exactly: the sum of the weighted "
            f"{'y(x, 1)' if data['bias'] else 'y x'} is 0."
        )
    if "null_space" in proof:
        rest = "the rows on the hyperplane" if proof["claim"] == "quasi-separable" else "all other rows"
        every = f"every hyperplane{of_kind(report)} that has no row on its wrong side"
        found.append(f"These rows span {rest}, so {rest} lie on {every}.")
    return found


def _fractions(proof: Report) -> tuple[Block, ...]:
    """Return the fractions that are too long for a sentence, to be opened."""
    names = {"margin_squared": "The squared margin", "upper_squared": "The square that no margin exceeds"}
    rows = [(name, proof[key]) for key, name in names.items() if len(str(proof.get(key, ""))) > 2 * _SHOWN]
    return (DetailsBlock("The squares as fractions", (facts("Squares", rows),), is_printed=True),) if rows else ()


def _margin(proof: Report, *, bias: bool) -> list[str]:
    lower = shortened(proof["margin_squared"])
    if proof["claim"] == "margin-exactly":
        return [
            f"Its squared margin, γ*², is exactly {lower}, and no margin is larger: {_cap(proof, 'just this', bias)}."
        ]
    found = [f"Its squared margin, so also γ*², is at least {lower}."]
    if proof.get("rows"):
        upper = shortened(str(proof.get("upper_squared", proof["margin_squared"])))
        found.append(f"No squared margin is larger than {upper}: {_cap(proof, 'at most this', bias)}.")
    return found


def _cap(proof: Report, size: str, bias: bool) -> str:
    """Return why no margin is larger than the numbers of the rows say."""
    rows = plural(len(proof["rows"]), "row")
    return wording("hulls_cap_margin" if bias else "mean_caps_margin", rows=rows, size=size)


def shortened(text: str) -> str:
    """Return an integer with the middle of a long one left out, or a fraction, which is only named if it is long.

    Examples
    --------
    >>> shortened("12/5"), shortened("1" * 60)
    ('12/5', '111111111111111111111111…111111111111111111111111 (60 digits)')
    """
    if len(text) <= 2 * _SHOWN:
        return _cut(text)
    return f"about {rounded(round_down(Fraction(text)), 4)} (a fraction, below)" if "/" in text else _cut(text)


def _cut(integer: str) -> str:
    digits = integer.lstrip("-")
    if len(digits) <= 2 * _SHOWN:
        return integer.replace("-", "−")
    sign = "−" if integer.startswith("-") else ""
    return f"{sign}{digits[:_SHOWN]}…{digits[-_SHOWN:]} ({count(len(digits))} digits)"
