"""A study of many classes as a plain dict."""

from typing import Any

from maxmargin.reports.sections.limitations import class_limitations
from maxmargin.reports.sections.plain import chosen, plain
from maxmargin.reports.sections.separability_section import separability_fields
from maxmargin.reports.sections.summary import SCHEMA, describe, run_fields, settings_fields, versions
from maxmargin.reports.study.class_study import ClassStudy, Contest
from maxmargin.solvers.answers.fields import NO_NAMES
from maxmargin.solvers.proof.margins import n_errors

_OF_VERDICT = ("verdict", "strictly_separable", "proof", "reason", "touching_rows", "witness_rows")


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
    report["unknown"] = class_limitations(report)
    return report


def _contest(contest: Contest) -> dict[str, Any]:
    hard, run = contest.hard, contest.run
    share = run.margin / hard.upper if hard.lower > 0 else None
    return {
        "positive": contest.positive,
        "positive_reason": contest.positive_reason,
        "negative": contest.negative,
        "n_samples": contest.problem.n_samples,
        **chosen(contest.separability.fields(NO_NAMES, with_columns=False), _OF_VERDICT),
        **chosen(hard.fields(NO_NAMES), ("status", "margin", "lower", "upper")),
        "n_support": len(hard.support),
        **run_fields(run),
        "achieved_margin": run.margin,
        "share_of_maximum": share,
        "n_errors": n_errors(contest.problem, run.w, run.b),
        "novikoff": contest.novikoff,
        "sha256": contest.problem.sha256,
    }
