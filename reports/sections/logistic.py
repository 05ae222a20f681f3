"""The meaning of a verdict for the estimate of a logistic regression (Albert and Anderson 1984)."""

import re
from typing import Any

from maxmargin.reports.document import Block, Paragraph, Points
from maxmargin.reports.phrasing import Report, length, name_of, of_kind
from maxmargin.reports.templates import wording
from maxmargin.solvers.answers.answer_text import intercept
from maxmargin.text.number_formats import count, listed, one_line, plural, shown_interval

_MOST_NAMED = 5
_MOST_ROWS = 30
_MOST_TERMS = 8

_NAME_IN_R = re.compile("[A-Za-z][A-Za-z0-9._]*")

_SIGNS = {"+": "+∞", "-": "−∞"}


def blocks(report: Report) -> tuple[Block, ...]:
    """Return whether the estimate exists, the coefficients that do not, the rows responsible, and what to do next."""
    answer, data = report["separability"], report["data"]
    model = f"A logistic regression{intercept(data['bias'])} of the classes on these columns"
    return (*of_answer(answer, model, f"of {name_of(data['positive'])}"), *_rows(report), *_next(report))


def of_answer(answer: Report, model: str, odds: str) -> tuple[Block, ...]:
    """Return the first two for any answer; `model` is the subject of the sentences, `odds` says whose log-odds."""
    if answer["verdict"] == "undecided":
        return ()
    texts = {"separable": _separable, "quasi-separable": _quasi, "overlap": _overlap}
    found: list[Block] = [Paragraph(texts[answer["verdict"]](answer, model))]
    if answer["infinite_columns"]:
        found += _exceptional(answer, odds)
    return tuple(found)


def _separable(answer: Report, model: str) -> str:
    reason = answer["columns_reason"]
    every = "All coefficients are infinite but those of aliased columns"
    return (
        f"{model} has no maximum-likelihood estimate (complete separation): the coefficients that a program prints "
        f"show only where it stopped.{f' {every}; their signs were not computed: {reason}.' if reason else ''}"
    )


def _quasi(answer: Report, model: str) -> str:
    separated, touching = (plural(length(answer, f"{kind}_rows"), "row") for kind in ("separated", "touching"))
    return wording("quasi_complete", model=model, separated=separated, touching=touching) + _left_out(answer)


def _overlap(answer: Report, model: str) -> str:
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


def _left_out(answer: Report) -> str:
    reason = answer["columns_reason"]
    return f" Which coefficients are infinite was not computed: {reason}." if reason else ""


def _exceptional(answer: Report, odds: str) -> list[Block]:
    """Return the infinite coefficients with their signs and reasons, and in a sentence what is left."""
    infinite, finite, aliased = (answer[f"{kind}_columns"] for kind in ("infinite", "finite", "aliased"))
    reasons = {str(term["name"]): term["reason"] for term in answer.get("terms") or () if not term["is_combined"]}
    signed = {name: _SIGNS[sign] for name, sign in infinite.items() if sign in _SIGNS}
    open_sign = [name for name, sign in infinite.items() if sign not in _SIGNS]
    if not signed and not finite:
        n_open = len(open_sign)
        of_them = "The only coefficient is" if n_open == 1 else f"All {plural(n_open, 'coefficient')} are"
        text = f"{of_them} infinite, none with a determined sign: none has a finite estimate.{_aliased(aliased)}"
        return [Paragraph(text)]
    alone = [name for name in signed if reasons.get(str(name))][:_MOST_TERMS]
    items = [f"{one_line(name, 40)} → {signed[name]}: {one_line(reasons[str(name)], 160)}" for name in alone]
    together = [f"{one_line(name, 40)} → {sign}" for name, sign in signed.items() if name not in alone]
    if together:
        items.append(f"{'in combination: ' if answer.get('terms') else ''}{_some(together, _MOST_TERMS)}")
    if open_sign:
        items.append(f"without a determined sign: {_some(open_sign)}")
    rest = f"Finite: {_some(finite)}." if finite else "None has a finite estimate."
    found: list[Block] = [Points(tuple(items))] if items else []
    return [*found, Paragraph(f"{rest}{_aliased(aliased)} Signs are those of the log-odds {odds}.")]


def _aliased(names: list[Any] | None) -> str:
    return f" Aliased (linearly dependent on earlier columns): {_some(names)}." if names else ""


def _some(names: list[Any], most: int = _MOST_NAMED) -> str:
    texts = [one_line(name, 50) for name in names[:most]]
    more = len(names) - most
    return listed([*texts, f"{count(more)} more"] if more > 0 else texts)


def _rows(report: Report) -> tuple[Block, ...]:
    """Return the rows that are separated where not all are, and the rows in error for the best hyperplane."""
    found, best, kind = [], report["fewest_errors"], of_kind(report)
    if report["verdict"] == "quasi-separable":
        answer = report["separability"]
        separated = _named(answer["first_separated"], length(answer, "separated_rows"))
        found.append(f"The rows that are separated: {separated}.")
    if best["reason"] is None:
        ends = shown_interval(best["lower"], best["upper"])
        found.append(
            f"The fewest errors of any hyperplane{kind}, rows on it included, are {ends}, proven. The best one found "
            f"errs on {_named(best['rows'], best['upper'])}."
        )
    elif report["strictly_separable"] is False:
        found.append(f"The fewest errors of any hyperplane{kind} were not computed: {best['reason']}.")
    return tuple(map(Paragraph, found))


def _named(entries: list[Report], total: int) -> str:
    """Return rows by their names, or by their numbers in the source."""
    names = [str(entry["source_row"]) if entry["id"] is None else one_line(entry["id"], 24) for entry in entries]
    more = total - min(len(names), _MOST_ROWS)
    noun = "row" if total == 1 else "rows"
    return f"{noun} {listed([*names[:_MOST_ROWS], f'{count(more)} more'] if more > 0 else names)}"


def _next(report: Report) -> tuple[Block, ...]:
    if report["verdict"] not in ("separable", "quasi-separable"):
        return ()
    steps = [
        f"penalise the likelihood (Firth's penalty{_in_r(report['data'])}; or a ridge), which makes every estimate "
        "finite",
        "use exact conditional inference where the columns take few values",
        "merge or drop the level or the column that separates, where the question allows it: the other coefficients "
        "then mean something else",
    ]
    if report["verdict"] == "quasi-separable":
        steps.append(
            "fit the finite part, maxmargin.separability(...).finite_part(), and report it beside the infinite ones"
        )
    return (Paragraph(f"What next, any of: {'; '.join(steps)}."),)


def _in_r(data: Report) -> str:
    """Return the call of R that fits with Firth's penalty, or only the packages if a name is not valid in R."""
    names, label, positive = data["feature_names"], data["label_name"], data["positive"]
    is_named = all(isinstance(name, str) and _NAME_IN_R.fullmatch(name) for name in (*names, label))
    if not (is_named and data["bias"] and len(names) <= _MOST_TERMS and _is_plain(positive)):
        return ", in R by logistf or brglm2"
    event = f'"{positive}"' if isinstance(positive, str) else str(positive)
    return f", in R logistf(I({label} == {event}) ~ {' + '.join(names)}, data = d)"


def _is_plain(label: object) -> bool:
    if isinstance(label, str):
        return label.isprintable() and label.isascii() and not set('"\\') & set(label)
    return isinstance(label, int) and not isinstance(label, bool)
