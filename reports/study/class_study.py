"""Everything that is computed for more than two classes: each against the rest, each pair, and all at once."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations, starmap, takewhile

import numpy as np

from maxmargin.api.question import named
from maxmargin.api.running import with_bias_scale
from maxmargin.data.dataset import Dataset, class_problem_of
from maxmargin.data.preparing import How
from maxmargin.explaining.separability_answer import Separability
from maxmargin.reports.study.parts.run_part import run_of
from maxmargin.reports.study.report_settings import OnProgress, ReportSettings
from maxmargin.reports.study.two_class_study import prepared, prepared_problem, strongest_proof
from maxmargin.solvers.answers.statuses import Verdict, uninterrupted
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidProblemError, option
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.problem.problem import ClassProblem, Problem
from maxmargin.solvers.proof.certificate import Certificate
from maxmargin.solvers.separability.feasibility import separability
from maxmargin.solvers.separability.multinomial import multinomial
from maxmargin.theory.context import Context
from maxmargin.theory.from_the_rows import novikoff

# The code of the class +1, and the codes of the classes -1.
Part = tuple[int, tuple[int, ...]]

# Fewest shares into which the time is divided; the multinomial question takes one share.
_FEWEST_SHARES = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contest:
    """One two-class question out of many.

    Attributes
    ----------
    positive, negative : label
        ``"rest"`` is every other class.
    positive_reason : str or None
        Why the one is positive.
    problem : Problem
    separability : Separability
    hard : HardMargin
    run : PerceptronRun
    novikoff : float or None
        R^2/g^2 of the space of the run, rounded up; None where no positive margin is proven there.
    """

    positive: object
    positive_reason: str | None
    negative: object
    problem: Problem
    separability: Separability
    hard: HardMargin
    run: PerceptronRun
    novikoff: float | None

    @property
    def proof(self) -> Certificate | None:
        """The strongest proof that was found."""
        return strongest_proof(self.separability, self.hard)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassStudy:
    """The results that a report on many classes shows.

    Questions for which the time was not enough are left out, the pairs first.

    Attributes
    ----------
    dataset : Dataset
    settings : ReportSettings
    problem : ClassProblem
        The prepared rows of all classes.
    one_vs_rest, pairs : tuple of Contest
    multinomial : Separability
    """

    dataset: Dataset
    settings: ReportSettings
    problem: ClassProblem
    one_vs_rest: tuple[Contest, ...]
    pairs: tuple[Contest, ...]
    multinomial: Separability

    def code_of(self, label: object) -> int:
        """Return the number of a class in the data of all classes."""
        is_of_class = np.asarray(self.dataset.labels == label)
        return int(self.problem.codes[int(is_of_class.argmax())])

    def part_of(self, contest: Contest) -> Part:
        """Return the codes of the classes of a question: the positive one, and the others."""
        positive = self.code_of(contest.positive)
        if all(contest is not other for other in self.one_vs_rest):
            return positive, (self.code_of(contest.negative),)
        return positive, tuple(code for code in range(self.problem.n_classes) if code != positive)

    @property
    def hardest(self) -> tuple[Contest, ...]:
        """The questions with a proof about rows of `problem`: by growing margin, then those that are not separable."""
        are_alike = self.settings.prepare in (How.RAW, How.UNIT)  # else the rows of a pair are prepared by themselves
        asked = (*self.one_vs_rest, *(self.pairs if are_alike else ()))
        return tuple(sorted((contest for contest in asked if contest.proof is not None), key=_hardness))


def _hardness(contest: Contest) -> tuple[int, float]:
    """Return a key that puts small positive margins first, then quasi-separable classes, then others."""
    answer = contest.separability
    if answer.strictly_separable:
        return 0, contest.hard.lower
    return (1 if answer.verdict is Verdict.QUASI_SEPARABLE else 2), 0.0


def study_classes(dataset: Dataset, settings: ReportSettings, *, on_progress: OnProgress | None = None) -> ClassStudy:
    """Ask the two-class question of every class and of every pair, and the multinomial one of all, while there is time.

    Raises
    ------
    InvalidProblemError
        If the rows are not in memory: each pair is a copy of some.
    """
    if not dataset.is_in_memory:
        raise InvalidProblemError(
            f"{dataset.source} has {len(dataset.classes)} classes and is not in memory, where a report on each pair of "
            f"them would copy rows; expected data in memory, or {option('positive')} to ask for one class against all "
            "others"
        )
    limits = settings.limits
    pairs = tuple(combinations(dataset.classes, 2))
    n_questions = len(dataset.classes) + len(pairs)
    problem = prepared(class_problem_of(dataset, bias=settings.bias), settings.prepare)
    whole = named(multinomial(problem, time_limit=limits.share(min(n_questions + 1, _FEWEST_SHARES))), dataset)
    shares = iter(range(n_questions, 0, -1))

    def contests(parts: Iterable[Dataset]) -> tuple[Contest, ...]:
        in_time = takewhile(lambda _: not limits.is_over(), parts)
        return tuple(_contest(part, settings, on_progress, limits.share(next(shares))) for part in in_time)

    return ClassStudy(
        dataset=dataset,
        settings=settings,
        problem=problem,
        multinomial=whole,
        one_vs_rest=contests(map(dataset.one_vs_rest, dataset.classes)),
        pairs=contests(starmap(dataset.pair, pairs)),
    )


def _contest(
    dataset: Dataset, settings: ReportSettings, on_progress: OnProgress | None, time_limit: float | None
) -> Contest:
    limits = Limits(time_limit=time_limit)
    problem = prepared_problem(dataset, settings)
    answer = separability(problem, time_limit=limits.share(4))
    hard = uninterrupted(hard_margin(problem, method="auto", verdict=answer, time_limit=limits.share(3)))
    if settings.bias_scale == "best" and hard.w is None:  # it is defined by the maximum margin
        settings = replace(settings, bias_scale=1.0)
    run_problem, scale = with_bias_scale(problem, settings.bias_scale, limits)
    run = run_of(run_problem, settings, scale, on_progress, limits.share(2))
    bound = novikoff(Context(problem=run_problem, run=run, n_passes=None, known_hard=hard, limits=limits))
    return Contest(
        positive=dataset.positive,
        positive_reason=dataset.positive_reason,
        negative=dataset.negative,
        problem=problem,
        separability=Separability.of(answer),
        hard=hard,
        run=run,
        novikoff=bound.value if bound.valid else None,
    )
