"""A perceptron run that is saved in a file, to be continued."""

import json
import os
from typing import TYPE_CHECKING, Any

from maxmargin.data.outofcore.warmstart import state_file
from maxmargin.solvers.errors import InvalidCheckpointError, InvalidOptionError
from maxmargin.text.announcing import tell, warn
from maxmargin.text.data_error import DataError, data_error

if TYPE_CHECKING:
    import numpy as np

    from maxmargin.solvers.perceptron.checkpoint import Checkpoint
    from maxmargin.solvers.perceptron.settings import PerceptronSettings
    from maxmargin.solvers.problem.problem import Problem

_KIND = "perceptron"
_KEPT = ("numbers", "last_state", "seconds", "has_converged")
_RESTART = "remove the file to start from scratch"


class RunFile:
    """The file of one run, from which the run is read and to which it is saved.

    Parameters
    ----------
    path : str or path
    problem : Problem
        Its hash is saved, so that the run is not continued with other data.
    settings : PerceptronSettings
        Except for the limits and the method, they must be the settings of the saved run.
    rng : numpy.random.Generator
        The generator of random orders: with another one it would be another run.

    Raises
    ------
    InvalidOptionError
        The state of the generator is not made of whole numbers, as that of NumPy's default generator is.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        problem: "Problem",
        settings: "PerceptronSettings",
        rng: "np.random.Generator",
    ) -> None:
        self.path = os.fspath(path)
        state = _state_of(rng)
        self._problem, self._settings, self._rng = problem, settings, rng
        self._is_given_up = False
        self.question = {
            "the data": problem.sha256,
            "bias": problem.bias,
            "bias_scale": settings.bias_scale,
            "zero": str(settings.zero),
            "order": str(settings.order),
            "the seed": None if settings.order == "cyclic" else state,
        }

    def read(self) -> "Checkpoint | None":
        """Return the saved run; None if there is no file yet.

        Raises
        ------
        DataError
            The file is damaged, no such file, or of another run.
        """
        from maxmargin.solvers.perceptron.checkpoint import Checkpoint, check_checkpoint

        if not os.path.lexists(self.path):
            return None
        content = state_file.read(self.path)
        words = content.words
        if words.get("kind") != _KIND:
            raise data_error(self.path, found="a state of something else", expected="the state of a perceptron run")
        asked = words.get("question")
        for name, value in self.question.items():
            if not isinstance(asked, dict) or _as_kept(asked.get(name)) != _as_kept(value):
                hint = f"{name} differs: {_RESTART}"
                raise data_error(self.path, found="another run", expected="the state of this run", hint=hint)
        kept = words.get("checkpoint")
        try:
            if not isinstance(kept, dict) or set(kept) != set(_KEPT):
                raise InvalidCheckpointError("other fields than those of a run")
            checkpoint = Checkpoint(arrays=content.arrays, **kept)
            check_checkpoint(checkpoint, self._problem, self._settings, self._rng)
        except InvalidCheckpointError as error:
            raise self.refusal(error) from error
        return checkpoint

    def refusal(self, error: InvalidCheckpointError) -> DataError:
        """Return the error about a file whose content cannot belong to this run."""
        return data_error(self.path, found=str(error), expected="the state of a run on these data", hint=_RESTART)

    def write(self, checkpoint: "Checkpoint") -> None:
        """Replace the saved run; if that fails, warn, and let the run continue without."""
        if self._is_given_up:
            return
        words = {name: getattr(checkpoint, name) for name in _KEPT}
        content = {"kind": _KIND, "question": self.question, "checkpoint": words}
        try:
            state_file.write(self.path, state_file.Content(words=content, arrays=checkpoint.arrays))
        except OSError as error:
            self._is_given_up = True
            warn(f"{self.path}: {error.strerror or error}; the run is no longer saved")

    def tell_what_is_kept(self) -> None:
        """Report how a run that has not converged can be continued."""
        if not self._is_given_up:
            tell(f"the run is saved in {self.path}; the same command continues it")


def _as_kept(value: Any) -> str:
    """Return a text that tells values and their types apart."""
    return json.dumps(value, sort_keys=True)


def _state_of(rng: "np.random.Generator") -> dict[str, Any]:
    state = dict(rng.bit_generator.state)
    try:
        json.dumps(state)
    except TypeError as error:
        kind = type(rng.bit_generator).__name__
        raise InvalidOptionError(f"rng is a {kind}; expected PCG64, or a seed, for a run that is saved") from error
    return state
