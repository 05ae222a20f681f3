"""The phrasing of the answer, in sentences that several sections share."""

from typing import Any

from maxmargin.reports.templates import wording
from maxmargin.solvers.answers.answer_text import through
from maxmargin.text.number_formats import count, field_text, floor_of, one_line, plural, proven, rounded, upper_end

Report = dict[str, Any]

# Quotient of the ends of an angle beyond which only the upper one is shown.
_WIDE = 1.01

# The names of the bounds in sentences.
_BOUNDS = {
    "novikoff": "Novikoff",
    "augmented_b": "Novikoff, from the margin with bias",
    "best_scale": "Novikoff, at the best bias scale",
    "best_scale_searched": "Novikoff, at the best scale and hyperplane",
    "unit_norm": "Novikoff, for rows of norm 1",
    "sum_of_squares": "Novikoff, with the rows of the mistakes",
    "self_certificate": "The run's own certificate",
    "freund_schapire": "Freund–Schapire, soft margin",
    "freund_schapire_optimum": "Freund–Schapire, at its optimum",
    "hinge_optimum": "Hinge, at its optimum",
    "slack_of_the_mistakes": "Slack of the mistakes, soft margin",
    "conjunction": "Conjunction of literals",
    "trivial": "Number of presentations",
}


def angle_text(entry: Report) -> str:
    """Return a proven angle: the digits that its ends share, or what it is at most; "" where it is not known."""
    lower, upper = entry["angle_lower"], entry["angle_upper"]
    if upper is None:
        return ""
    return f"≤ {upper_end(upper, 2)}°" if upper > _WIDE * lower else f"{proven(lower, upper, 7)}°"


def name_of(label: object) -> str:
    """Return the name of a class in a sentence.

    Examples
    --------
    >>> name_of("setosa"), name_of(3), name_of("rest")
    ('setosa', 'class 3', 'the rest')
    """
    if label == "rest":
        return "the rest"
    return one_line(label) if isinstance(label, str) and not _looks_like_a_number(label) else f"class {one_line(label)}"


def of_kind(report: Report) -> str:
    """Return " through the origin" where the report is about such hyperplanes only, to follow the noun."""
    return through(report["data"]["bias"])


def space(run: Report) -> str:
    """Return the vectors of the space in which the perceptron ran."""
    return f"(x, {rounded(run['bias_scale'])})" if run["bias"] else "x"


def score(report: Report) -> str:
    """Return what is positive for a row that is strictly on its side."""
    return "y(w·x + b)" if report["data"]["bias"] else "y(w·x)"


def question(report: Report) -> str:
    """Return the two classes, as the subject of a sentence."""
    positive, negative = (name_of(entry["label"]) for entry in report["data"]["classes"])
    return f"{positive} against {negative}"


def tone(report: Report) -> str:
    """Return "good" for separable data, "bad" for data that are not separable, "open" where that is not known."""
    return {True: "good", False: "bad", None: "open"}[report["strictly_separable"]]


def verdict_name(answer: Report) -> str:
    """Return the verdict in a word or two.

    Examples
    --------
    >>> verdict_name({"verdict": "overlap", "strictly_separable": False})
    'overlap'
    """
    if answer["verdict"] == "undecided" and answer["strictly_separable"] is False:
        return "not separable"
    return str(answer["verdict"])


def headline(report: Report) -> str:
    """Return the verdict as a sentence."""
    subject, kind = question(report), of_kind(report)
    if subject.startswith("class "):
        subject = f"C{subject[1:]}"
    predicates = {
        "separable": f"is linearly separable{kind}",
        "quasi-separable": f"is quasi-separable{kind} (quasi-complete separation)",
        "overlap": f"overlaps{kind}",
        "not separable": f"is not linearly separable{kind}",
        "undecided": f"is undecided{kind}",
    }
    return f"{subject} {predicates[verdict_name(report)]}."


def _looks_like_a_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def length(mapping: Report, key: str) -> int:
    """Return the length of a list that may have been cut."""
    return int(mapping.get(f"{key}_count", len(mapping[key] or ())))


def shown_upper(hard: Report) -> float:
    """Return the upper end of the maximum margin, infinity where there is none."""
    return float("inf") if hard["upper"] is None else float(hard["upper"])


def novikoff_text(mapping: Report, key: str = "bound") -> str:
    """Return Novikoff's bound as the greatest count that it allows."""
    return field_text(mapping, key, 4, say=floor_of)


def novikoff(report: Report) -> Report | None:
    """Return Novikoff's bound where it holds and is finite."""
    return next((bound for bound in holding_bounds(report) if bound["name"] == "novikoff"), None)


def holding_bounds(report: Report) -> list[Report]:
    """Return the bounds whose assumption is proven and that are finite, without the number of presentations."""
    holding = (bound for bound in report["bounds"] if bound["valid"] and bound["value"] is not None)
    return [bound for bound in holding if bound["name"] != "trivial"]


def bound_title(name: str) -> str:
    """Return what a bound is called in a sentence."""
    return _BOUNDS[name]


def fewest_errors(report: Report) -> Report | None:
    """Return the soft margin with the fewest errors, and of these the one with the smallest C."""
    return min(report["soft_margin"], key=lambda point: (point["n_errors"], point["C"]), default=None)


def stopped_because(run: Report) -> str:
    """Return the stop reason in words."""
    return {
        "converged": "converged: the last epoch had no mistake",
        "max_epochs": f"stopped at its limit of {plural(run['max_epochs'] or 0, 'epoch')}",
        "max_mistakes": f"stopped at its limit of {plural(run['max_mistakes'] or 0, 'mistake')}",
        "time_limit": "stopped at its time limit",
        "interrupted": "interrupted by the user",
    }[run["stop_reason"]]


def convergence(report: Report) -> str:
    """Return the meaning of the end of the run."""
    run = report["perceptron"]
    if run["converged"]:
        return _converged(report)
    if run["zero"] == "mistake" and report["strictly_separable"] is False:
        least, with_bias = run["fewest_mistakes_in_an_epoch"], ", bias coordinate included" if run["bias"] else ""
        fewest = (
            "No epoch was completed." if least is None else f"The fewest mistakes in one epoch were {count(least)}."
        )
        norm = rounded(run["run_norm"])
        return wording("cannot_converge", kind=of_kind(report), norm=norm, bias=with_bias, fewest=fewest)
    if report["strictly_separable"]:
        return _not_yet(report)
    return "Whether it would converge with a higher limit is not known."


def _converged(report: Report) -> str:
    run = report["perceptron"]
    if run["n_errors"]:
        return wording("correct_by_the_rule", rule=run["zero"], rows=plural(run["n_errors"], "row"))
    return wording("converged", margin=field_text(run, "margin"))


def _not_yet(report: Report) -> str:
    run = report["perceptron"]
    text = wording("not_converged_yet", kind=of_kind(report), rows=plural(run["n_errors"], "row"))
    bound = novikoff(report)
    if bound is None:
        return text
    times = rounded(bound["value"] / run["n_mistakes"], 3)
    text += " " + wording("novikoff_allows", bound=upper_end(bound["value"]), times=times)
    rate = run["recent_mistakes_per_epoch"]
    if rate:
        epochs = rounded(bound["value"] / rate, 2)
        text += " " + wording("at_the_recent_rate", rate=rounded(rate, 3), epochs=epochs)
    return text
