"""Novikoff's proof along the run: what was traced, as a dict, and what a page says of it."""

from dataclasses import asdict
from typing import Any

from maxmargin.reports import phrasing
from maxmargin.reports.document import Block, FigureSlot, Paragraph, Table, facts
from maxmargin.reports.number_formats import count, number, percent, plural, shown, typeset, upper_end
from maxmargin.reports.study.study import Study


def trace_fields(study: Study) -> dict[str, Any]:
    """Return the run along its mistakes, thinned; numbers that there are not are None."""
    trace = study.trace
    return {
        "n_traced": len(trace.n_mistakes),
        "is_whole": trace.is_whole,
        "holds": trace.holds,
        "inequalities": trace.inequalities,
        "violations": [asdict(violation) for violation in trace.violations],
        "reason": trace.reason,
        "radius": trace.radius,
        "u_margin": trace.u_margin if trace.u is not None else None,
        "bound": trace.bound if trace.u is not None else None,
        **trace.columns(),
    }


def blocks(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return what the proof says after the traced mistakes, and whether it is so."""
    if not report["perceptron"]["n_mistakes"]:
        return (Paragraph("The run was stopped before its first mistake."),)
    return (
        Paragraph(_what(report)),
        Paragraph(_checked(report)),
        FigureSlot("proof-curves"),
        FigureSlot("potential"),
        _table(report),
    )


def _what(report: dict[str, Any]) -> str:
    space = phrasing.space(report["perceptron"])
    if report["trace"]["u_margin"] is None:
        return (
            f"In the space {space} of the run ‖w‖² grows by at most ‖x‖² at a mistake, so ‖w‖ ≤ √(Σ‖x‖²) ≤ √M·R after "
            f"M mistakes. The other half of Novikoff's proof needs a hyperplane that separates, and {_none(report)}."
        )
    return (
        f"Novikoff's proof squeezes M between two curves. In the space {space} of the run, with the unit normal u* of "
        "its maximum margin g: every mistake adds at least g to w·u*, so M g ≤ w·u* ≤ ‖w‖, and at most ‖x‖² to ‖w‖², "
        "so ‖w‖ ≤ √(Σ‖x‖²) ≤ √M·R. The line M g and the curve √M·R meet at M = R²/g², past which there can be no "
        "mistake. The same as a potential: P = ½‖c u* − w‖² with c = R²/g starts at R⁴/(2g²), falls by at least R²/2 "
        "at every mistake, and is never negative."
    )


def _none(report: dict[str, Any]) -> str:
    if report["strictly_separable"] is False:
        return (
            f"there is none{phrasing.of_kind(report)}: nothing makes ‖w‖ grow, which stays bounded however long the "
            "run (Minsky and Papert 1969; Block and Levin 1970), and there is no potential to fall"
        )
    return f"none is known: {report['trace']['reason']}"


def _checked(report: dict[str, Any]) -> str:
    trace, run = report["trace"], report["perceptron"]
    which = "each of its" if trace["is_whole"] else f"{count(trace['n_traced'])} of its"
    statements = "; ".join(typeset(text) for text in trace["inequalities"])
    checked = (
        f"After {which} {plural(run['n_mistakes'], 'mistake')} this was checked in exact arithmetic: {statements}."
    )
    if trace["holds"]:
        return f"{checked} All of it is true."
    first = trace["violations"][0]
    return (
        f"{checked} It is false {plural(len(trace['violations']), 'time')}, first after "
        f"{plural(first['n_mistakes'], 'mistake')}: {typeset(first['inequality'])}. Rounding decided some scores of "
        "this run, so not every mistake was one."
    )


def _table(report: dict[str, Any]) -> Table:
    trace, n_mistakes = report["trace"], report["perceptron"]["n_mistakes"]
    last = {
        name: trace[name][-1] for name in ("w_dot_u", "w_dot_u_at_least", "norm", "root_of_squares", "norm_at_most")
    }
    rows = [
        ("√M·R", number(last["norm_at_most"])),
        ("√(Σ‖x‖²) over the mistakes", number(last["root_of_squares"])),
        ("‖w‖", number(last["norm"])),
    ]
    if trace["u_margin"] is not None:
        rows += [
            ("w·u*", _with_cosine(last["w_dot_u"], trace["cosine"][-1])),
            ("M g", number(last["w_dot_u_at_least"])),
            ("g", number(trace["u_margin"])),
            ("R²/g², Novikoff's bound", shown(trace, "bound", say=upper_end)),
            ("Fall of the potential, in units of R²/2", number(trace["potential_drop"][-1])),
        ]
    return facts(f"After {plural(n_mistakes, 'mistake')}", rows)


def _with_cosine(value: float | None, cosine: float | None) -> str:
    return number(value) if cosine is None else f"{number(value)}, {percent(cosine)} of ‖w‖"
