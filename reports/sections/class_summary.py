"""A study of many classes as a plain dict."""

import math
from typing import Any

from maxmargin.reports.number_formats import plural
from maxmargin.reports.sections.plain import plain
from maxmargin.reports.sections.separability_section import separability_fields
from maxmargin.reports.sections.summary import SCHEMA, describe, run_fields, settings_fields, versions
from maxmargin.reports.sections.unknowns import columns
from maxmargin.reports.study.class_study import ClassStudy, Contest
from maxmargin.solvers.proof.margins import n_errors


def summarize_classes(study: ClassStudy) -> dict[str, Any]:
    """Return the report as dicts, lists, texts and finite numbers; `verdict` is the multinomial one."""
    counts = [int((study.dataset.labels == label).sum()) for label in study.dataset.classes]
    report: dict[str, Any] = plain(
        {
            "schema": SCHEMA,
            "kind": "classes",
            "verdict": study.multinomial.verdict,
            "strictly_separable": study.multinomial.strictly_separable,
            "data": {
                **describe(study.dataset),
                "classes": [
                    {"label": label, "count": count} for label, count in zip(study.dataset.classes, counts, strict=True)
                ],
                "bias": study.settings.bias,
                "prepare": study.settings.prepare,
            },
            "one_vs_rest": [_contest(contest) for contest in study.one_vs_rest],
            "pairs": [_contest(contest) for contest in study.pairs],
            "multinomial": separability_fields(study.dataset, study.multinomial, None, study.settings.sizes),
            "settings": settings_fields(study.settings),
            "versions": versions(),
        }
    )
    report["unknown"] = _unknowns(report)
    return report


def left_out(report: dict[str, Any]) -> int:
    """Return how many classes and pairs of them were not asked about, as the time was over."""
    n_classes = len(report["data"]["classes"])
    return math.comb(n_classes + 1, 2) - len(report["one_vs_rest"]) - len(report["pairs"])


def _contest(contest: Contest) -> dict[str, Any]:
    hard, run = contest.hard, contest.run
    share = run.margin / hard.upper if hard.lower > 0 else None
    return {
        "positive": contest.positive,
        "positive_reason": contest.positive_reason,
        "negative": contest.negative,
        "n_samples": contest.problem.n_samples,
        "verdict": contest.separability.verdict,
        "strictly_separable": contest.separability.strictly_separable,
        "proof": contest.separability.proof,
        "reason": contest.separability.reason,
        "touching_rows": contest.separability.touching_rows,
        "witness_rows": contest.separability.witness_rows,
        "status": hard.status,
        "margin": hard.margin,
        "lower": hard.lower,
        "upper": hard.upper,
        "n_support": len(hard.support),
        **run_fields(run),
        "achieved_margin": run.margin,
        "share_of_maximum": share,
        "n_errors": n_errors(contest.problem, run.w, run.b),
        "novikoff": contest.novikoff,
        "sha256": contest.problem.sha256,
    }


def _unknowns(report: dict[str, Any]) -> list[str]:
    contests = [*report["one_vs_rest"], *report["pairs"]]
    sentences = []
    if report["verdict"] == "undecided":
        sentences.append(f"The multinomial question is not decided: {report['multinomial']['reason']}.")
    if (n_left_out := left_out(report)) > 0:
        asked = "was left out: the time limit came" if n_left_out == 1 else "were left out: the time limit came"
        sentences.append(f"{plural(n_left_out, 'question')} about a class or a pair {asked} first.")
    if any(contest["verdict"] == "undecided" for contest in contests):
        sentences.append(
            "Where a verdict is “undecided” no proof was found; where it is “not separable” strict separation is "
            "excluded, but not whether the classes are quasi-separable or overlap."
        )
    sentences.append(columns(report["multinomial"]))
    if any(contest["strictly_separable"] and not contest["converged"] for contest in contests):
        sentences.append("Where the classes are separable but the run did not converge, its final count is not known.")
    if report["data"]["prepare"] != "raw":
        sentences.append(
            f"Each question was prepared by itself (“{report['data']['prepare']}”); the proofs hold for the prepared "
            "numbers."
        )
    return [
        *filter(None, sentences),
        "Numbers are taken as the binary64 numbers that they are stored as; the proofs hold for these.",
        "The mistakes belong to this order of the rows; another order may give more or fewer.",
    ]
