"""The run of the perceptron in full, with Novikoff's proof along it, and its normal beside the best one."""

from typing import Any

from maxmargin.reports import phrasing
from maxmargin.reports.document import Block, Paragraph, TableBlock, facts
from maxmargin.reports.sections.shared import margin_interval
from maxmargin.text.number_formats import count, field_text, one_line, percent, plural, rounded, typeset, upper_end

_MOST_FEATURES = 10


def blocks(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the course of the run, the facts that it proves, and the statements of Novikoff's proof along it."""
    run = report["perceptron"]
    ended = f"{'' if run['converged'] else 'was '}{phrasing.stopped_because(run)}"
    opening = (
        "Rosenblatt's perceptron starts at w = 0 and adds y x to w at every mistake. It made "
        f"{plural(run['n_mistakes'], 'mistake')} in {plural(run['n_epochs'], 'epoch')} and {ended}. "
        f"{phrasing.convergence(report)}"
    )
    trace = (_trace_table(report), Paragraph(_checked(report))) if run["n_mistakes"] else ()
    return (Paragraph(opening), _run_table(report), *trace)


def _run_table(report: dict[str, Any]) -> TableBlock:
    run = report["perceptron"]
    rows = [
        ("Mistakes", count(run["n_mistakes"])),
        ("Rows with a mistake", f"{count(run['n_mistaken_rows'])} of {count(report['data']['n_samples'])}"),
        ("Epochs", f"{count(run['n_epochs'])}, {plural(run['n_presentations'], 'presentation')}"),
        ("Why it stopped", phrasing.stopped_because(run)),
        ("Fewest mistakes in an epoch", count(run["fewest_mistakes_in_an_epoch"])),
        ("Rows in error at the end", f"{count(run['n_errors'])} with y(w·x + b) ≤ 0"),
        ("‖w‖", rounded(run["norm"], 4)),
        ("Margin achieved", _achieved(report)),
        ("Upper bound of γ* from its mistakes", upper_end(run["margin_upper"], 4)),
    ]
    if run["bias"]:
        maximum = ("Maximum margin in that space, proven", margin_interval(run, "run_maximum_"))
        rows += [
            (f"‖w‖ in the space {phrasing.space(run)} of the run", rounded(run["run_norm"], 4)),
            ("Margin achieved in that space", field_text(run, "run_margin", 4)),
            *(() if report["strictly_separable"] is False else (maximum,)),
            ("Upper bound of it from the mistakes", upper_end(run["run_upper"], 4)),
        ]
    rows.append(("Rules", _rules(run)))
    return facts("The run", rows)


def _achieved(report: dict[str, Any]) -> str:
    run, share = report["perceptron"], report["comparison"]["share_of_maximum"]
    if run["margin"] is None:
        return "none: the run ended at w = 0"
    text = field_text(run, "margin", 4)
    if share is not None and run["margin"] > 0:
        return f"{text}, {percent(share)} of γ*"
    return f"{text}: a row lies that far on its wrong side" if run["margin"] < 0 else text


def _rules(run: dict[str, Any]) -> str:
    seed = "" if run["order"] == "cyclic" else f", seed {run['seed']}"
    zero = {"mistake": "y w·x = 0 is a mistake", "positive": "w·x = 0 predicts +1", "negative": "w·x = 0 predicts −1"}[
        run["zero"]
    ]
    return f"order {run['order']}{seed}; {zero}"


def normals(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return both unit normals, feature by feature."""
    best, found = report["hard_margin"]["unit_w"], report["perceptron"]["unit_w"]
    if best is None or found is None:
        return ()
    names = report["data"]["feature_names"]
    order = sorted(range(len(best)), key=lambda j: -abs(best[j]))[:_MOST_FEATURES]
    rows = tuple((one_line(names[j]), rounded(best[j], 4), rounded(found[j], 4)) for j in order)
    note = (
        f"The {_MOST_FEATURES} of {count(len(names))} features with the largest |w*|." if len(best) > len(rows) else ""
    )
    columns = ("Feature", "w*/‖w*‖", "Perceptron w/‖w‖")
    return (TableBlock("The unit normals, feature by feature", columns, rows, (1, 2), note),)


def _checked(report: dict[str, Any]) -> str:
    trace, run = report["trace"], report["perceptron"]
    n_mistakes = plural(run["n_mistakes"], "mistake")
    when = "every mistake" if trace["is_whole"] else f"{count(trace['n_traced'])} of the {n_mistakes}"
    statements = "; ".join(typeset(text) for text in trace["inequalities"])
    checked = f"After {when} these inequalities were checked in exact arithmetic: {statements}."
    if trace["holds"]:
        return f"{checked} All of them are true."
    first = trace["violations"][0]
    return (
        f"{checked} They are false {plural(len(trace['violations']), 'time')}, first after "
        f"{plural(first['n_mistakes'], 'mistake')}: {typeset(first['inequality'])}. Rounding decided some scores of "
        "this run, so not every update was a mistake."
    )


def _trace_table(report: dict[str, Any]) -> TableBlock:
    trace, n_mistakes = report["trace"], report["perceptron"]["n_mistakes"]

    def last(name: str) -> str:
        return rounded(trace[name][-1], 4)

    rows = [
        ("√M·R", last("norm_at_most")),
        ("√(Σ‖x‖²) over the mistakes", last("root_of_squares")),
        ("‖w‖", last("norm")),
    ]
    if trace["u_margin"] is not None:
        cosine = trace["cosine"][-1]
        rows += [
            ("w·u*", last("w_dot_u") if cosine is None else f"{last('w_dot_u')}, {percent(cosine)} of ‖w‖"),
            ("M g", last("w_dot_u_at_least")),
            ("g", rounded(trace["u_margin"], 4)),
            ("R²/g², Novikoff's bound", phrasing.novikoff_text(trace)),
            ("Fall of the potential, in units of R²/2", last("potential_drop")),
        ]
    return facts(f"After {plural(n_mistakes, 'mistake')}", rows)
