"""The online algorithms next to the perceptron, for arrays of any kind."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from maxmargin.api.running import in_time
from maxmargin.api.verbs import problem_of, with_positive
from maxmargin.data.dataset import from_arrays
from maxmargin.solvers.errors import InvalidOptionError

if TYPE_CHECKING:
    import numpy as np

    from maxmargin.solvers.online.algorithm import OnlineRun
    from maxmargin.solvers.online.catalogue import OnlineAlgorithm
    from maxmargin.solvers.perceptron.row_orders import Order
    from maxmargin.solvers.perceptron.settings import Progress


def online(
    X: Any,
    y: Any,
    algorithm: str = "averaged",
    *,
    bias: bool = True,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    order: str | None = None,
    max_epochs: int | None = 100,
    max_updates: int | None = None,
    time_limit: float | None = None,
    rng: "np.random.Generator | int | None" = None,
    on_progress: "Callable[[Progress], None] | None" = None,
    **parameters: Any,
) -> "OnlineRun":
    """Run an online algorithm, and check on this run what the theory guarantees.

    Parameters
    ----------
    X, y, bias, positive
        As in `separability`.
    algorithm : str
        One of `online_algorithms`.
    bias_scale : float or "best"
        The constant coordinate s that carries the bias, as in `perceptron`.
    order : {"cyclic", "shuffled-once", "reshuffled-each-epoch", "random"}, optional
        By default the algorithm's own: cyclic, but for the pocket algorithm, which draws at random.
    max_epochs, max_updates : int or None
        Limits; None is none. Where an algorithm looks at all rows for one update, that is an epoch.
    time_limit : float, optional
        Seconds after which the run ends with ``stop_reason="time_limit"``; the margins that guarantees are measured
        against have a fifth of it, at least half a second, and leave open what they cannot prove by then.
    rng : numpy.random.Generator or int, optional
        For the orders that draw.
    on_progress : callable, optional
        Called about ten times a second with a `Progress`.
    **parameters
        Those of the algorithm.

    Raises
    ------
    InvalidProblemError
        If the data do not state a two-class question, are too many for memory, or overflow; if an option or a
        parameter has a value that it does not take.

    Examples
    --------
    >>> run = online([[10.0], [12.0]], [0, 1], "margin-perceptron", beta=1.0, max_epochs=None)
    >>> run.n_errors, [(guarantee.name, guarantee.holds) for guarantee in run.guarantees]
    (0, [('updates', True), ('margin', True)])
    """
    from maxmargin.solvers.online.catalogue import algorithm_of
    from maxmargin.solvers.online.online_settings import OnlineSettings
    from maxmargin.solvers.online.run_online import run_online

    chosen = algorithm_of(algorithm, parameters)
    dataset = from_arrays(X, y, positive=positive)
    problem, scale, time_limit = in_time(problem_of(dataset, bias=bias), bias_scale, time_limit)
    settings = OnlineSettings(
        bias_scale=scale,
        order=_order(order),
        max_epochs=max_epochs,
        max_updates=max_updates,
        time_limit=time_limit,
    )
    run = run_online(problem, chosen, settings, rng=_generator(rng), on_progress=on_progress)
    return with_positive(run, dataset)


def online_algorithms() -> "dict[str, OnlineAlgorithm]":
    """Return the algorithms of `online` by name: their parameters with defaults, one line, and the reference.

    Examples
    --------
    >>> online_algorithms()["margin-perceptron"].parameters
    {'beta': 1.0}
    """
    from maxmargin.solvers.online.catalogue import entries

    return entries()


def _order(order: str | None) -> "Order | None":
    from maxmargin.solvers.perceptron.row_orders import Order

    if order is not None and order not in list(Order):
        raise InvalidOptionError(f"order is {order!r}; expected one of {', '.join(Order)}")
    return None if order is None else Order(order)


def _generator(rng: "np.random.Generator | int | None") -> "np.random.Generator":
    import numpy as np

    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise InvalidOptionError(f"rng is {rng!r}; expected a numpy Generator or a whole number from 0") from error
