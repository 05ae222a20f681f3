"""The judgement of any hyperplane: its exact margin and errors, the maximum margin, and mistake bounds."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from maxmargin.api.question import Question, with_names
from maxmargin.data.dataset import Dataset, problem_of
from maxmargin.models.fitted_planes import GivenPlane, plane_of_model, plane_of_numbers
from maxmargin.solvers.answers.answer_text import NamedAnswer, Names, counted, rounded_down, rounded_up, through
from maxmargin.solvers.answers.cards import between
from maxmargin.solvers.answers.statuses import Status, uninterrupted
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.reals import binary64, short_repr
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.proof.margins import error_rows, geometric_margin, norm_squared
from maxmargin.text.progress import shows_progress, waiting
from maxmargin.theory.plane_bounds import RunPlane, SlackCurve, lies_in_cone

# Shares into which a time limit is divided; the maximum margin takes one of them, the cone takes the rest.
_SHARES = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PlaneJudgement(NamedAnswer):
    """A hyperplane w.x + b = 0, next to proven facts about the data and about the perceptron.

    The mistake bounds and the cone are stated in the space in which the perceptron runs: the rows (x, 1) if the
    hyperplane is one with a bias, where R^2 = max ||x||^2 + 1, or the rows x if it is one through the origin.

    Attributes
    ----------
    w : ndarray of shape (n_features,)
        The normal, with the class +1 on the side where w.x + b > 0.
    b : float
        The offset.
    bias : bool
        Whether the hyperplane is compared with those that have a bias, or with those through the origin.
    margin, margin_upper : float
        The geometric margin min y(w.x + b)/||w|| of these floats, computed exactly, then rounded down and up. It is
        negative if a row is on the wrong side.
    error_rows : ndarray of int
        The rows with y(w.x + b) <= 0, exactly: positions in X; `to_dict` and `to_frame` number the rows of the source.
    n_errors_reversed : int
        The number of errors of (-w, -b), for which the class +1 is on the other side.
    share_lower, share_upper : float or None
        The proven ends of the geometric margin as a share of the maximum margin, rounded outwards. None if the data are
        not proven strictly separable.
    angle_lower, angle_upper : float or None
        The proven ends of the angle of w and the normal of the maximum-margin hyperplane of this kind, in degrees,
        rounded outwards. None if the data are not proven strictly separable.
    gamma_lower, gamma_upper : float
        The proven ends of the maximum margin of all hyperplanes of this kind; 0 if none separates strictly.
    in_cone : bool or None
        Whether (w, b) is in the circular cone of the vectors whose angle to the maximum-margin direction u* of the
        perceptron's space is below arcsin(gamma/R), with R and the maximum margin gamma of that space. Every vector in
        the cone separates, but a hyperplane may separate outside it. None if this is not decided, or the data are not
        strictly separable.
    novikoff : float or None
        R^2/g^2 with the least margin g of this hyperplane in the perceptron's space, rounded up: it makes at most as
        many mistakes, in any number of passes. None if the hyperplane does not separate.
    freund_schapire : float
        ((R + D)/g)^2 with D^2 = sum of max(0, g - y u.z)^2 over the rows z of the perceptron's space and the unit
        vector u of (w, b), rounded up: in one pass over the rows, in any order, the perceptron makes at most as many
        mistakes.
    g : float
        The g of that bound. It is the one asked for, or else the one found for which the bound is least; if the bound
        falls for all g, it is large, and the bound is the number of rows up to rounding.
    curve : tuple of (float, float)
        Pairs of g, in increasing order, and the bound for this g, rounded up; one of them has the g above.
    n_samples : int
        Number of rows.
    status : Status
        How the question about the maximum margin ended.
    positive : label or None
        The class that is +1.
    positive_reason : str or None
        Why that class is +1.
    negative : label or None
        The class that is -1; ``"rest"`` for several.
    names : Names
        The names of the rows and the columns.

    See Also
    --------
    maxmargin.judge : Judge a hyperplane.

    Examples
    --------
    >>> import maxmargin as mm
    >>> judged = mm.judge([[10.0], [40.0], [60.0], [90.0]], [0, 0, 1, 1], w=[1.0], b=-48.0)
    >>> judged.margin, round(judged.share_lower, 9), judged.separates
    (8.0, 0.8, True)
    >>> len(judged.curve) > 50, min(bound for _, bound in judged.curve) == judged.freund_schapire
    (True, True)
    """

    w: Floats
    b: float
    bias: bool
    margin: float
    margin_upper: float
    error_rows: Rows
    n_errors_reversed: int
    share_lower: float | None
    share_upper: float | None
    angle_lower: float | None
    angle_upper: float | None
    gamma_lower: float
    gamma_upper: float
    in_cone: bool | None
    novikoff: float | None
    freund_schapire: float
    g: float
    curve: tuple[tuple[float, float], ...]
    n_samples: int
    status: Status

    @property
    def separates(self) -> bool:
        """Whether every row is strictly on its side."""
        return not self.error_rows.size

    @property
    def headline(self) -> str:
        """Whether it separates, and its geometric margin."""
        return f"{self._verdict}, geometric margin {self.margin!r}"

    @property
    def _verdict(self) -> str:
        return "separates" if self.separates else "does not separate"

    def summary(self) -> str:
        """Return the text of ``maxmargin judge``."""
        n_rows = counted(self.n_samples, "row")
        lines = [f"{self._verdict}: all {n_rows} are strictly on their side"]
        if not self.separates:
            errors = f"{len(self.error_rows):,} of {n_rows} are on the hyperplane or on the wrong side"
            lines = [f"{self._verdict}: {errors}", *self._reversed_lines()]
            lines.append(self.names.rows_line("rows that are errors", self.error_rows))
        lines += [
            f"  geometric margin in [{self.margin!r}, {self.margin_upper!r}]",
            *self._maximum_lines(),
            self._cone_line(),
            *self._bound_lines(),
            *self.names.plane_lines(self.w, self.b),
        ]
        return "\n".join(lines)

    def _reversed_lines(self) -> list[str]:
        """Return the line that says that the other side may be meant to be +1, if it has fewer errors."""
        if self.n_errors_reversed >= len(self.error_rows):
            return []
        does = f"errs on {counted(self.n_errors_reversed, 'row')}" if self.n_errors_reversed else "separates"
        return [f"  (-w, -b) {does}: the sides of +1 and -1 may have been swapped"]

    def _maximum_lines(self) -> list[str]:
        kind = f"  maximum margin{through(self.bias)}"
        if self.status.is_inseparable:
            return [f"{kind} 0: {self.status.advice_for(bias=self.bias)}"]
        lines = [f"{kind}, proven interval [{self.gamma_lower!r}, {self.gamma_upper!r}]"]
        if self.share_lower is not None and self.share_upper is not None:
            lines.append(f"  share of the maximum margin in [{self.share_lower!r}, {self.share_upper!r}]")
        if self.angle_lower is not None and self.angle_upper is not None:
            ends = f"[{self.angle_lower!r}, {self.angle_upper!r}]"
            lines.append(f"  angle to the normal of the maximum margin in {ends} degrees")
        return lines

    @property
    def _space(self) -> str:
        return "in the space (x, 1)" if self.bias else "through the origin"

    def _cone_line(self) -> str:
        found = {True: "yes", False: "no; some hyperplanes outside separate as well", None: "not decided"}
        if self.status.is_inseparable:
            found[None] = "there is none, as no hyperplane separates strictly"
        cone = f"the cone around the maximum-margin direction {self._space} in which every hyperplane separates"
        return f"  in {cone}: {found[self.in_cone]}"

    def _bound_lines(self) -> list[str]:
        lines = [f"  mistakes of the perceptron {self._space} that this hyperplane allows, at most"]
        if self.novikoff is not None:
            lines.append(f"    {_bound_text(self.novikoff)} in any number of passes (Novikoff)")
        source = f"(Freund and Schapire with g = {self.g:.6g})"
        if self.freund_schapire < self.n_samples:
            lines.append(f"    {_bound_text(self.freund_schapire)} in one pass {source}")
        else:
            is_least = self.freund_schapire <= min(value for _, value in self.curve)
            why = "no g gives less (Freund and Schapire)" if is_least else f"the bound says nothing {source}"
            lines.append(f"    {self.n_samples:,} in one pass, the number of rows: {why}")
        return lines

    def _card_fields(self) -> dict[str, Any]:
        return {
            "rows in error": len(self.error_rows),
            "margin": rounded_down(self.margin),
            "share of the maximum margin": None if self.share_lower is None else rounded_down(self.share_lower),
            "maximum margin γ*, proven": between(self.gamma_lower, self.gamma_upper),
            "mistakes at most (Novikoff)": None if self.novikoff is None else rounded_up(self.novikoff),
            "in one pass at most": rounded_up(min(self.freund_schapire, float(self.n_samples))),
        }

    def _roles(self) -> tuple[tuple[str, Any], ...]:
        return (("error", self.error_rows),)

    def fields(self) -> dict[str, Any]:
        """Return the fields of ``maxmargin judge --json``."""
        return {
            **self._attributes("separates", "margin", "margin_upper"),
            **self.names.fields("error_rows", self.error_rows),
            "n_errors_reversed": self.n_errors_reversed,
            **self._attributes("share_lower", "share_upper", "angle_lower", "angle_upper"),
            **self._attributes("gamma_lower", "gamma_upper"),
            "status": self.status.value,
            **self._attributes("in_cone", "novikoff", "freund_schapire", "g", "curve", "w", "b", "bias"),
        }


def _bound_text(bound: float) -> str:
    return f"{rounded_up(bound):,.6g}"


@shows_progress(waiting, "judging the hyperplane")
def judge(
    X: Any,
    y: Any = None,
    w: Any = None,
    b: float = 0.0,
    *,
    model: Any = None,
    positive: object = None,
    g: float | None = None,
    bias: bool | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
) -> PlaneJudgement:
    """Judge a hyperplane w.x + b = 0, whoever found it, by what is proven about the data.

    The answer has the hyperplane's exact margin and errors, its margin as a share of the maximum margin, the angle to
    the hyperplane that has it, whether it is in the circular cone about the maximum-margin direction in which every
    vector separates, and the bounds that it gives for the mistakes of the perceptron. For every unit vector u of the
    space in which the perceptron runs and every g > 0, one pass over rows of norm at most R makes at most ((R + D)/g)^2
    mistakes, where D^2 is the sum of max(0, g - y u.z)^2 over the rows z [2]_. If u separates with margin g then D = 0,
    and R^2/g^2 bounds any number of passes [1]_.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `separability`; None for a Dataset. Of more
        classes, `positive` has to choose one.
    w : array_like of shape (n_features,), mapping or series, optional
        The normal, not 0, with the class +1 on the side where w.x + b > 0. Mappings, and series if the columns of X
        have names, are read by the names of the columns. Numbers that binary64 does not hold are refused.
    b : float, default 0.0
        The offset.
    model : object, optional
        A fitted linear model in place of `w` and `b`. One with `coef_` and `intercept_`, as in scikit-learn, has the
        class ``classes_[1]`` on its positive side; of one row of coefficients for each class, the row of the class +1
        is judged, against all others. Results of statsmodels with `params`, or a series of parameters, have the
        response 1 on the positive side; the constant is found by its name, ``const`` or ``Intercept``, or as the column
        of ones to which the model was fitted.
    positive : label, optional
        The label that is +1, against all others.
    g : float, optional
        The g of `freund_schapire`, positive. By default it is one for which the bound is least.
    bias : bool, optional
        Whether the hyperplane is compared with those that have a bias, in the perceptron's space (x, 1), or with those
        through the origin. By default it has a bias unless b is 0; a model has a bias if it was fitted with one.
    time_limit : float, optional
        Seconds after which the search for the maximum margin stops; its interval may then be wide, and the cone not
        decided. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    PlaneJudgement
        The margin, the errors, the share of the maximum margin, the cone and the mistake bounds.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes.
    InvalidOptionError
        If not exactly one of `w` and `model` is given, one of them is not a hyperplane for these columns, or g is not a
        positive number.

    See Also
    --------
    hard_margin : Find the maximum margin.
    mistake_bounds : Bound the mistakes of the perceptron by the best hyperplanes.

    References
    ----------
    .. [1] A. B. J. Novikoff, "On convergence proofs on perceptrons", Symposium on the Mathematical Theory of Automata
       12 (1962), 615-622.
    .. [2] Y. Freund and R. E. Schapire, "Large margin classification using the perceptron algorithm", Machine Learning
       37 (1999), 277-296.

    Examples
    --------
    >>> X, y = [[10.0], [40.0], [60.0], [90.0]], ["low", "low", "high", "high"]
    >>> judged = judge(X, y, w=[-2.0], b=96.0)
    >>> judged.margin, judged.error_rows.tolist(), judged.gamma_upper
    (8.0, [], 10.0)
    >>> judge(X, y, w={"0": -1.0}, b=40.0).error_rows.tolist()
    [1]
    """
    question = Question.of(X, y, positive=positive, time_limit=time_limit)
    dataset = question.dataset
    problem_of(dataset)  # refuses more than two classes before the model is read
    if (w is None) == (model is None):
        found = "neither w nor model is given" if w is None else "both w and model are given"
        raise InvalidOptionError(f"{found}; expected one of them")
    if model is not None:
        if b != 0:
            raise InvalidOptionError(
                f"b is {short_repr(b)} and model is given, which has its own; expected one of them"
            )
        plane = plane_of_model(model, dataset)
    else:
        plane = plane_of_numbers(w, b, dataset.feature_names)
    return judge_plane(dataset, plane.of_kind(bias), question.names, g=g, time_limit=question.limits.share())


def judge_plane(
    dataset: Dataset,
    plane: GivenPlane,
    names: Names | None = None,
    *,
    g: float | None = None,
    time_limit: float | None = None,
) -> PlaneJudgement:
    """Return the judgement of a hyperplane; the names are those of the data set unless others are given.

    The other parameters are as in `judge`.

    Raises
    ------
    InvalidOptionError
        If g is not a positive finite number.
    """
    asked = None if g is None else binary64(g)
    if g is not None and (asked is None or not asked > 0):
        raise InvalidOptionError(f"g is {short_repr(g)}; expected a positive finite number of binary64")
    limits, problem = Limits(time_limit=time_limit), problem_of(dataset, bias=plane.bias)
    run = RunPlane.of(problem, plane.w, plane.b)
    known = uninterrupted(hard_margin(problem, time_limit=limits.share(_SHARES)))
    square = norm_squared(run.w)
    margin = geometric_margin(run.least, square)
    lower, upper = max(known.lower, margin, 0.0), known.upper
    is_separable = run.least > 0 or known.w is not None or known.lower > 0
    shares = _shares(run.least, square, lower, upper) if is_separable else (None, None)
    angle = known.angle_of(run.w, max(run.least, Fraction(0)) ** 2 / square)
    chosen, value, curve = _along_g(run, asked)
    judged = PlaneJudgement(
        w=plane.w, b=plane.b, bias=plane.bias, margin=margin, margin_upper=0.0 - geometric_margin(-run.least, square),
        error_rows=error_rows(problem, run.w, run.b), n_errors_reversed=len(error_rows(problem, -run.w, -run.b)),
        share_lower=shares[0], share_upper=shares[1],
        angle_lower=angle[0], angle_upper=angle[1],
        gamma_lower=lower, gamma_upper=upper, in_cone=lies_in_cone(run, limits) if is_separable else None,
        novikoff=run.novikoff(), freund_schapire=value, g=chosen, curve=curve, n_samples=problem.n_samples,
        status=known.status,
    )  # fmt: skip
    return with_names(judged, dataset, names)


def _shares(least: Fraction, square: Fraction, lower: float, upper: float) -> tuple[float, float]:
    """Return the ends of the geometric margin divided by the maximum margin, rounded outwards; they are at most 1."""
    smallest, largest = (upper, lower) if least > 0 else (lower, upper)
    return _quotient_down(least, square, smallest), min(1.0, 0.0 - _quotient_down(-least, square, largest))


def _quotient_down(least: Fraction, square: Fraction, end: float) -> float:
    """Return (least/root of the square)/end, rounded down; the end may be 0 or infinite."""
    if not least:
        return 0.0
    if math.isinf(end):
        return 0.0 if least > 0 else -math.ulp(0.0)
    if not end:
        return math.inf if least > 0 else -math.inf
    return geometric_margin(least, square * Fraction(end) ** 2)


def _along_g(run: RunPlane, wanted: float | None) -> tuple[float, float, tuple[tuple[float, float], ...]]:
    """Return g, Freund and Schapire's bound for it, and the bound for other g.

    The hyperplane's own margin, where the bound may have a kink, is one of them.
    """
    curve = SlackCurve.of(run)
    best, has_best = curve.best()
    own = geometric_margin(run.least, run.square)
    tried = {best, own, best if wanted is None else wanted, *curve.points(best, has_best)}
    values = {g: curve.at(g) for g in sorted(tried) if g > 0}
    chosen = min(values, key=values.__getitem__) if wanted is None else wanted
    return chosen, values[chosen], tuple(values.items())
