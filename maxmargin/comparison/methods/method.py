"""The methods of a comparison: their call, their claims, and the questions that they answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from shutil import which
from typing import Any

from maxmargin.comparison.jobs.machine import versions
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import nearest

# The value that `fit` returns; see `Method`.
Answer = Mapping[str, Any]


class Claim(StrEnum):
    """The claim of a method about its own answer."""

    SEPARABLE = "separable"
    """The classes are strictly separable."""
    NOT_SEPARABLE = "not separable"
    """They are not."""
    SEPARATION = "separation"
    """They are separable or quasi-separable: some coefficient of a logistic regression is infinite."""
    NO_SEPARATION = "no separation"
    """They are neither."""
    SEPARATES = "separates"
    """This hyperplane has every row strictly on its side."""
    MAXIMUM_MARGIN = "maximum margin"
    """This hyperplane has the maximum geometric margin."""
    OPTIMAL = "optimal"
    """This hyperplane minimises the soft-margin objective that is named."""
    ESTIMATE_EXISTS = "estimate exists"
    """An unpenalised logistic regression has converged: the maximum-likelihood estimate exists."""


class QuestionKind(StrEnum):
    """The question that a method answers; times are compared between methods of one question."""

    SEPARATION = "separation"
    HARD_MARGIN = "hard margin"
    SOFT_MARGIN = "soft margin"
    LOGISTIC = "logistic"
    ONLINE = "online"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A method of a comparison.

    Attributes
    ----------
    name : str
    fit : callable
        ``fit(X, y, *, seed, time_limit, **params)``, where X is a float64 array or CSR array of shape (n_samples,
        n_features), y holds -1 and +1, and the limit is in seconds or None. It returns a mapping with ``w`` (array or
        None) and, where they are known, ``b`` (0 by default), ``claim`` (a `Claim` or None), ``message`` (the method's
        own status), ``n_mistakes``, ``n_updates``, ``capped`` (whether a limit of the method stopped it), and
        ``objective``: the soft-margin problem that it says it solves, {"C": float, "intercept": "free", "none" or s},
        where s is the value of a constant column whose weight is penalised; with "dual", the value of the dual problem
        that the method reached, its claim to be optimal is judged by this.
    question : QuestionKind
    summary : str
        One line.
    claims : str
        What its answer is taken to claim, and by which tolerance this is judged; nothing by default.
    needs : tuple of str
        Modules, and programs as "program NAME", without which it cannot run.
    packages : tuple of str
        Distributions whose versions make its version.
    mark : str
        Its version where no package has one, such as the hash of a file, or what a program says.
    parameters : frozenset of str or None
        The names of its parameters; None accepts any.
    is_foreign : bool
        Whether it may write into its arguments: it is given copies.
    is_random : bool
        Whether the seed matters even if the rows keep their order.
    random_if : callable, optional
        For methods of which a parameter decides that: the function of the parameters.
    bounds : callable, optional
        ``bounds(X, y, answer, **params)`` returns mistake bounds that are proven of the run by name; it is not timed.
    script : callable, optional
        The function that a user would write: self-contained, with its imports inside, called with X and y.
    """

    name: str
    fit: Callable[..., Answer]
    question: QuestionKind
    summary: str
    claims: str = "nothing"
    needs: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    mark: str = ""
    parameters: frozenset[str] | None = frozenset()
    is_foreign: bool = False
    is_random: bool = False
    random_if: Callable[[Mapping[str, Any]], bool] | None = None
    bounds: Callable[..., Mapping[str, float]] | None = None
    script: Callable[..., Any] | None = None

    @property
    def is_installed(self) -> bool:
        """Whether the modules and programs that it needs are here."""
        return all(map(_is_there, self.needs))

    @property
    def version(self) -> str:
        """The versions of its packages, or its mark."""
        return self.mark or ", ".join(f"{name} {version}" for name, version in versions(self.packages).items())

    def seed_matters(self, params: Mapping[str, Any]) -> bool:
        """Return whether the seed matters with these parameters, even if the rows keep their order.

        Examples
        --------
        >>> from maxmargin.comparison.methods.every_method import method_of
        >>> method_of("perceptron").seed_matters({}), method_of("perceptron").seed_matters({"order": "random"})
        (False, True)
        """
        return self.is_random if self.random_if is None else self.random_if(params)

    def check(self, name: str) -> None:
        """Refuse a parameter that the method does not have.

        Raises
        ------
        InvalidOptionError
        """
        if self.parameters is not None and name not in self.parameters:
            known = [", ".join(sorted(self.parameters)) or "none", nearest(name, self.parameters)]
            raise InvalidOptionError(f"{self.name} has no parameter {name!r}; it has {'; '.join(filter(None, known))}")


def _is_there(need: str) -> bool:
    try:
        # only packages are looked for, as looking for what is inside them would import them
        return (which(need[8:]) if need.startswith("program ") else find_spec(need.partition(".")[0])) is not None
    except (ImportError, ValueError):  # of a module inside a package that is not there
        return False
