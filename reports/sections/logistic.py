"""The meaning of a verdict for the estimate of a logistic regression (Albert and Anderson 1984)."""

from typing import Any

from maxmargin.reports.document import Block, Paragraph, Table
from maxmargin.reports.phrasing import length
from maxmargin.solvers.answers.forms import intercept
from maxmargin.text.number_formats import count, listed, one_line, plural

_MOST_COLUMNS = 70
_MOST_NAMED = 5

_SIGNS = {"+": "+∞", "-": "−∞", "either sign": "not determined"}


def blocks(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return whether the estimate exists, and the fate of every coefficient."""
    data = report["data"]
    model = f"A logistic regression{intercept(data['bias'])} of the classes on these columns"
    return of_answer(report["separability"], model, "of the class +1")


def of_answer(answer: dict[str, Any], model: str, odds: str) -> tuple[Block, ...]:
    """Return the same for any answer; `model` is the subject of the sentences, `odds` says whose log-odds are meant."""
    if answer["verdict"] == "undecided":
        return ()
    texts = {"separable": _separable, "quasi-separable": _quasi, "overlap": _overlap}
    found: list[Block] = [Paragraph(texts[answer["verdict"]](answer, model))]
    if answer["infinite_columns"]:
        found += [Paragraph(_columns_text(answer)), _columns_table(answer, odds)]
    return tuple(found)


def _separable(answer: dict[str, Any], model: str) -> str:
    return (
        f"{model} has no maximum-likelihood estimate (complete separation): along a separating direction the "
        "likelihood grows towards 1 while the coefficients go to infinity. The coefficients that a program prints only "
        f"show where it stopped; their standard errors and tests are meaningless.{_left_out(answer)}"
    )


def _quasi(answer: dict[str, Any], model: str) -> str:
    return (
        f"{model} has no maximum-likelihood estimate (quasi-complete separation): the likelihood keeps growing while "
        f"the coefficients move along the separating directions. The fitted probabilities of the "
        f"{plural(length(answer, 'separated_rows'), 'row')} that can be strictly separated go to 0 or 1; everything "
        f"that stays finite is determined by the {plural(length(answer, 'touching_rows'), 'touching row')} alone."
        f"{_left_out(answer)}"
    )


def _overlap(answer: dict[str, Any], model: str) -> str:
    aliased = answer["aliased_columns"]
    if aliased is None:
        return f"{model} has a finite maximum-likelihood estimate.{_left_out(answer)}"
    if not aliased:
        return f"{model} has a finite maximum-likelihood estimate, and only one: no column depends on the others."
    return (
        f"{model} has a finite maximum-likelihood estimate. It is unique once {_some(aliased)} "
        f"{'is' if len(aliased) == 1 else 'are'} left out: "
        f"{plural(len(aliased), 'column')} that {'depends' if len(aliased) == 1 else 'depend'} linearly on the others."
    )


def _left_out(answer: dict[str, Any]) -> str:
    reason = answer["columns_reason"]
    return f" Which coefficients are infinite was not computed: {reason}." if reason else ""


def _columns_text(answer: dict[str, Any]) -> str:
    """Return how many coefficients are infinite, with their signs, and how many are not."""
    infinite = answer["infinite_columns"]
    signed = [f"{name} ({_SIGNS[sign]})" for name, sign in infinite.items() if sign in ("+", "-")]
    either = [name for name, sign in infinite.items() if sign not in ("+", "-")]
    finite, aliased = answer["finite_columns"], answer["aliased_columns"]
    sentences = [
        f"The separating directions form a cone of dimension {count(answer['dimension'])}"
        f"{', not counting those that are 0 on every row' if aliased else ''}."
    ]
    if signed:
        sentences.append(f"Infinite, with one sign only: {_some(signed)}.")
    if either:
        sentences.append(
            "Not determined, as each may go to infinity with either sign, or stay at any finite value, while others go "
            f"to infinity: {_some(either)}."
        )
    sentences.append(f"Finite: {_some(finite)}." if finite else "None stays finite.")
    if aliased:
        sentences.append(f"Aliased (linearly dependent on earlier columns): {_some(aliased)}.")
    return " ".join(sentences)


def _some(names: list[Any]) -> str:
    texts = [one_line(name, 40) for name in names[:_MOST_NAMED]]
    more = len(names) - _MOST_NAMED
    return listed([*texts, f"{count(more)} more"] if more > 0 else texts)


def _columns_table(answer: dict[str, Any], odds: str) -> Table:
    entries = [
        *((name, _SIGNS[sign]) for name, sign in answer["infinite_columns"].items()),
        *((name, "finite") for name in answer["finite_columns"]),
        *((name, "aliased") for name in answer["aliased_columns"]),
    ]
    cut = f"The first {_MOST_COLUMNS} of {count(len(entries))}; " if len(entries) > _MOST_COLUMNS else ""
    rows = tuple((one_line(name), fate) for name, fate in entries[:_MOST_COLUMNS])
    note = f"{cut}{'the' if cut else 'The'} sign is that of the log-odds {odds}."
    return Table("The coefficients", ("Column", "Coefficient"), rows, note=note)
