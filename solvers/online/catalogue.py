"""The algorithms by name."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches

from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.online import confidence_weighted, gradient_descent
from maxmargin.solvers.online.adatron import AdaTron
from maxmargin.solvers.online.algorithm import Algorithm
from maxmargin.solvers.online.kernel_perceptron import KernelPerceptron
from maxmargin.solvers.online.margin_perceptron import MarginPerceptron
from maxmargin.solvers.online.minover import MinOver
from maxmargin.solvers.online.p_norm import Alma, PNormPerceptron
from maxmargin.solvers.online.passive_aggressive import PassiveAggressive, PassiveAggressiveI, PassiveAggressiveII
from maxmargin.solvers.online.pdm import Pdm
from maxmargin.solvers.online.romma import AggressiveRomma, Romma
from maxmargin.solvers.online.rosenblatt import AveragedPerceptron, Perceptron, Pocket, VotedPerceptron
from maxmargin.solvers.online.second_order import Arow, SecondOrderPerceptron
from maxmargin.solvers.online.winnow import BalancedWinnow, Winnow

# In the order of `docs/family.md`.
_FAMILIES: tuple[tuple[type[Algorithm], ...], ...] = (
    (Perceptron, AveragedPerceptron, VotedPerceptron, Pocket, MarginPerceptron),
    (PassiveAggressive, PassiveAggressiveI, PassiveAggressiveII, gradient_descent.OnlineGradientDescent),
    (SecondOrderPerceptron, confidence_weighted.ConfidenceWeighted, Arow),
    (confidence_weighted.SoftConfidenceWeightedI, confidence_weighted.SoftConfidenceWeightedII),
    (PNormPerceptron, AdaTron, MinOver, Romma, AggressiveRomma, Alma, Pdm, Winnow, BalancedWinnow),
    (gradient_descent.DeltaRule, gradient_descent.DeltaRuleSgd, gradient_descent.ReluSgd),
    (gradient_descent.SubgradientSvm, gradient_descent.Pegasos, KernelPerceptron),
)

ALGORITHMS: Mapping[str, type[Algorithm]] = {each.name: each for family in _FAMILIES for each in family}


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineAlgorithm:
    """An entry in the catalogue of online algorithms.

    Attributes
    ----------
    name : str
        The name by which `maxmargin.online` knows the algorithm.
    summary : str
        A description in one line.
    parameters : mapping of str to object
        The names of the parameters and their defaults.
    order : str
        The default order of presentation.
    reference : str
        The source of the algorithm.
    guarantees : tuple of str
        The statements of the theorems that are checked on every run, as in `Guarantee`.

    See Also
    --------
    maxmargin.online_algorithms : List the algorithms.

    Examples
    --------
    >>> import maxmargin as mm
    >>> algorithm = mm.online_algorithms()["margin-perceptron"]
    >>> algorithm.parameters, algorithm.order
    ({'beta': 1.0}, 'cyclic')
    """

    name: str
    summary: str
    parameters: Mapping[str, object]
    order: str
    reference: str
    guarantees: tuple[str, ...]


def entries() -> dict[str, OnlineAlgorithm]:
    """Return the catalogue."""
    return {
        name: OnlineAlgorithm(
            name=name,
            summary=algorithm.summary,
            parameters={field.name: field.default for field in fields(algorithm) if field.default is not MISSING},
            order=str(algorithm.default_order),
            reference=algorithm.reference,
            guarantees=tuple(theorem.statement for theorem in algorithm.theorems),
        )
        for name, algorithm in ALGORITHMS.items()
    }


def algorithm_of(name: str, parameters: Mapping[str, object]) -> Algorithm:
    """Return the algorithm of this name with these parameters.

    Raises
    ------
    InvalidOptionError
        If there is none of this name, or it has no such parameter or no such value of it.

    Examples
    --------
    >>> algorithm_of("margin-perceptron", {"beta": 2.0})
    MarginPerceptron(beta=2.0)
    """
    if name not in ALGORITHMS:
        close = get_close_matches(name, ALGORITHMS, n=3, cutoff=0.5)
        meant = f" (did you mean {' or '.join(close)}?)" if close else ""
        raise InvalidOptionError(f"algorithm is {name!r}{meant}; expected one of {', '.join(ALGORITHMS)}")
    algorithm = ALGORITHMS[name]
    known = [field.name for field in fields(algorithm)]
    unknown = [parameter for parameter in parameters if parameter not in known]
    if unknown:
        expected = f"one of {', '.join(known)}" if known else "none"
        raise InvalidOptionError(f"{name} has no parameter {unknown[0]!r}; expected {expected}")
    return algorithm(**parameters)
