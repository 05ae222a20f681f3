"""Ask the package about hostile cases, and hold every answer against the references."""

import math
import random
import tempfile
import traceback
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import hostile
import numpy as np
from references import (
    exact_hard_margin,
    exact_perceptron,
    exact_soft_margin,
    exact_verdict,
    geometric_margin_squared,
    hull_bound_squared,
    soft_objective,
)

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError

REFUSALS = (mm.DataError, mm.InvalidProblemError)
METHODS = {
    "separability": ("auto", "auto", "highs", "cvxpy"),
    "hard_margin": ("auto", "auto", "textbook", "working-set", "daqp", "cvxpy"),
    "soft_margin": ("auto", "auto", "cvxpy", "working-set", "interior-point", "dual-coordinate"),
    "perceptron": ("auto", "weights", "gram"),
}
COSTS = (1.0, 0.1, 0.125, 1e-3, 1e6, 5e-324, 1e-300, 1e300)
WEIGHTS = (0.0, 1.0, 1.0, 3.0, 0.1, 1e-3)
SCALES = (1.0, 1.0, 0.5, 0.1, 2.0**-500, 2.0**300)
MAX_EPOCHS = 60


@dataclass
class Tally:
    """What was wrong with the answers."""

    faults: list[str] = field(default_factory=list)


class Judge:
    """One case, asked one question after another."""

    def __init__(self, case: hostile.Case) -> None:
        self.case = case
        self.draw = random.Random(-1 - case.seed)
        self.tally = Tally()
        self.features, self.targets = case.features, case.targets

    def run(self) -> Tally:
        """Ask for the verdict, and one question more."""
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            warnings.simplefilter("error")
            door = self._through_a_file(Path(folder))
            self._asked("separability", door, self.separability)
            question = self.draw.choice(("hard_margin", "hard_margin", "soft_margin", "perceptron"))
            self._asked(question, door, getattr(self, question))
        return self.tally

    def _through_a_file(self, folder: Path) -> str:
        """Have some plain arrays read from a file, at times out of memory; return the name of the door."""
        if self.case.container != "float64" or self.draw.random() < 0.4:
            return self.case.container
        form = self.draw.choice(("npz", "csv", "parquet", "feather"))
        memory = None if form == "feather" else self.draw.choice((None, 1))  # whose batches are too large for 1 byte
        dataset = mm.load(hostile.write_file(self.case, folder, form), label="label" if form != "npz" else -1,
                          memory=memory)  # fmt: skip
        self.features, self.targets = dataset.X, dataset.y
        return f"{form}, memory={memory}"

    def _asked(self, question: str, door: str, ask: Any) -> None:
        try:
            faults = list(ask())
        except InvalidOptionError:  # some methods are for data in memory, or for dense rows
            return
        except REFUSALS as error:
            faults = list(self._refusal(question, error))
        except Exception:
            faults = ["traceback: " + traceback.format_exc().replace("\n", " | ")[-1500:]]
        self.tally.faults += [f"{question} of {door}: {fault}\n    {self.case}" for fault in faults]

    def _refusal(self, question: str, error: Exception) -> Iterator[str]:
        if "\n" in str(error):
            yield f"a refusal of several lines: {error}"
        is_held = all(_is_binary64(value) for row in self.case.X for value in row)
        is_exact_kind = any(kind in self.case.container for kind in ("Fraction", "Decimal", "decimal128"))
        is_decided = is_exact_kind and question == "separability" and "more than 300 digits" not in str(error)
        is_beyond = "too large for binary64" in str(error) or (question == "perceptron" and "overflow" in str(error))
        if (is_held or is_decided) and not is_beyond:
            yield f"refused though it can be decided: {error}"

    def _arguments(self, question: str) -> dict[str, Any]:
        return {"bias": self.case.bias, "method": self.draw.choice(METHODS[question])}

    def separability(self) -> Iterator[str]:
        """Hold the verdict and its proof against the truth."""
        arguments = self._arguments("separability")
        answer = mm.separability(self.features, self.targets, **arguments)
        truth, _ = exact_verdict(self.case.X, self.case.y, self.case.bias)
        if answer.verdict not in (truth, "undecided"):
            yield f"{arguments}: said {answer.verdict}, is {truth}"
        if answer.strictly_separable not in (None, truth == "separable"):
            yield f"{arguments}: strictly_separable is {answer.strictly_separable}, the data are {truth}"
        if answer.certificate is not None:
            yield from self._verified(answer.certificate, arguments)

    def _verified(self, certificate: Any, arguments: object) -> Iterator[str]:
        try:
            mm.verify(certificate.to_dict(), self.features, self.targets)
        except mm.CertificateError as error:
            yield f"{arguments}: the certificate {certificate.claim} does not verify: {error}"

    def hard_margin(self) -> Iterator[str]:
        """Check margin <= lower <= gamma* <= upper, of the very floats returned and of the certificates."""
        case, arguments = self.case, {**self._arguments("hard_margin"), "exact": self.draw.random() < 0.5}
        answer = mm.hard_margin(self.features, self.targets, **arguments)
        best = exact_hard_margin(case.X, case.y, case.bias)
        square = Fraction(0) if best is None else best.value
        if not _is_root_at_most(answer.lower, square) or not _is_root_at_least(answer.upper, square):
            yield f"{arguments}: [{answer.lower!r}, {answer.upper!r}] misses {_root(square)!r}"
        if answer.margin_squared not in (None, square):
            yield f"{arguments}: margin_squared is {answer.margin_squared}, the truth is {square}"
        if answer.status.is_inseparable and best is not None:
            yield f"{arguments}: status {answer.status} of separable data"
        if answer.status == "optimal" and best is None:
            yield f"{arguments}: status optimal, lower {answer.lower!r} of inseparable data"
        yield from self._hard_plane(answer, arguments)
        yield from self._hard_certificates(answer, arguments)

    def _hard_plane(self, answer: Any, arguments: object) -> Iterator[str]:
        if answer.w is None:
            if answer.margin:
                yield f"{arguments}: margin {answer.margin!r} without a plane"
            return
        square = geometric_margin_squared(self.case.X, self.case.y, answer.w, answer.b)
        if square <= 0 or not _is_root_at_most(answer.margin, square) or answer.margin > answer.lower:
            claim = f"margin {answer.margin!r}, lower {answer.lower!r}"
            yield f"{arguments}: {claim}, the plane's is {_root(square)!r}"

    def _hard_certificates(self, answer: Any, arguments: object) -> Iterator[str]:
        if answer.certificate is not None:
            yield from self._verified(answer.certificate, arguments)
            proven = getattr(answer.certificate, "margin_squared", None)
            if answer.lower and proven is not None and not _is_root_at_most(answer.lower, proven):
                yield f"{arguments}: lower {answer.lower!r} beside a certificate of {_root(proven)!r}"
        above = answer.upper_certificate
        if above is not None:
            yield from self._verified(above, arguments)
            if not _is_root_at_least(answer.upper, above.margin_squared):
                yield f"{arguments}: upper {answer.upper!r} beside a certificate of {_root(above.margin_squared)!r}"
        elif 0 < answer.upper < math.inf and not answer.status.is_inseparable:
            yield f"{arguments}: upper {answer.upper!r} without a certificate"
        both = answer.interval_certificate
        if both != answer.certificate:
            yield from self._verified(both, arguments)
            parts = both.at_least.margin_squared, both.at_most.margin_squared
            if parts != (answer.certificate.margin_squared, above.margin_squared):
                yield f"{arguments}: the proof of both ends has others"

    def soft_margin(self) -> Iterator[str]:
        """Check lower <= optimum <= objective, with the exact products of C and weights."""
        case, arguments = self.case, self._arguments("soft_margin")
        C = self.draw.choice(COSTS)
        weights = [self.draw.choice(WEIGHTS) for _ in case.y] if self.draw.random() < 0.4 else None
        balanced = "balanced" if self.draw.random() < 0.2 else None
        if weights is not None:
            weights[:2] = 1.0, 3.0  # rows of both classes
        costs = self._costs(C, weights, balanced)
        answer = mm.soft_margin(
            self.features, self.targets, C, sample_weight=weights, class_weight=balanced, **arguments
        )
        best = exact_soft_margin(case.X, case.y, costs, case.bias)
        shown = f"C={C!r} weights={weights} {balanced} {arguments}"
        if Fraction(answer.lower) > best.value:
            yield f"{shown}: lower {answer.lower!r} exceeds the optimum {float(best.value)!r}"
        if math.isinf(answer.objective):
            return
        at_plane = soft_objective(case.X, case.y, costs, answer.w, answer.b)
        if Fraction(answer.objective) < max(best.value, at_plane):
            yield f"{shown}: objective {answer.objective!r} is below {float(at_plane)!r}, the value at (w, b)"

    def _costs(self, C: float, weights: list[float] | None, balanced: str | None) -> list[Fraction]:
        y = self.case.y
        factors = [Fraction(len(y), 2 * y.count(sign)) if balanced else Fraction(1) for sign in y]
        return [Fraction(C) * factor * Fraction(weight) for factor, weight in
                zip(factors, [1.0] * len(y) if weights is None else weights, strict=True)]  # fmt: skip

    def perceptron(self) -> Iterator[str]:
        """Compare mistakes with those of exact arithmetic, and check what the run says of margins."""
        case, arguments = self.case, self._arguments("perceptron")
        zero, scale = self.draw.choice(("mistake", "positive", "negative")), self.draw.choice(SCALES)
        run = mm.perceptron(
            self.features, self.targets, zero=zero, bias_scale=scale, max_epochs=MAX_EPOCHS, **arguments
        )
        truth = exact_perceptron(case.X, case.y, scale if case.bias else 0.0, zero, MAX_EPOCHS)
        shown = f"zero={zero} scale={scale!r} {arguments}"
        counts = [truth.mistake_rows.count(i) for i in range(len(case.y))]
        found = (run.mistake_rows.tolist(), run.mistake_counts.tolist(), run.n_epochs, run.converged)
        if not run.n_uncertain and found != (truth.mistake_rows, counts, truth.n_epochs, truth.converged):
            claim = f"{run.n_mistakes} mistakes in {run.n_epochs} epochs"
            yield f"{shown}: {claim}, in exact arithmetic {len(truth.mistake_rows)} in {truth.n_epochs}"
        yield from self._run_margins(run, shown)

    def _run_margins(self, run: Any, shown: str) -> Iterator[str]:
        case = self.case
        if np.any(run.w):
            square = geometric_margin_squared(case.X, case.y, run.w, run.b)
            if not (_is_root_at_most(run.margin, square) if square > 0 else run.margin <= 0):
                yield f"{shown}: margin {run.margin!r}, the plane's is {_root(square)!r}"
        if run.margin_upper is not None:
            proven = hull_bound_squared(case.X, case.y, run.mistake_counts, case.bias)
            if not _is_root_at_least(run.margin_upper, proven):
                yield f"{shown}: margin_upper {run.margin_upper!r} beside {_root(proven)!r}"


def _is_binary64(value: Fraction) -> bool:
    try:
        return Fraction(float(value)) == value
    except OverflowError:
        return False


def _is_root_at_most(number: float, square: Fraction) -> bool:
    return number <= 0 or (not math.isinf(number) and Fraction(number) ** 2 <= square)


def _is_root_at_least(number: float, square: Fraction) -> bool:
    return math.isinf(number) or (number >= 0 and Fraction(number) ** 2 >= square)


def _root(square: Fraction) -> float:
    """Return the root, with the sign of the square."""
    try:
        return math.copysign(math.sqrt(abs(square)), square)
    except OverflowError:
        return math.inf


def judged(seeds: Iterable[int]) -> Tally:
    """Return what is wrong with the answers to the cases of some seeds."""
    tally = Tally()
    for seed in seeds:
        tally.faults += Judge(hostile.case(seed)).run().faults
    return tally
