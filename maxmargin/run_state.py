"""A perceptron run in a file, to be gone on with."""

import json
import os
from typing import TYPE_CHECKING, Any

from maxmargin.carriers import state_file
from maxmargin.readers.errors import data_error
from maxmargin.solvers.errors import InvalidOptionError

if TYPE_CHECKING:
    import numpy as np

    from maxmargin.solvers.perceptron.checkpoint import Checkpoint
    from maxmargin.solvers.perceptron.settings import PerceptronSettings
    from maxmargin.solvers.problem import Problem

_KIND = "perceptron"


class RunFile:
    """The file of one run: what was kept of it, and a way to keep more.

    Parameters
    ----------
    path : str or path
    problem : Problem
        Its hash is kept, so that no other data go on with the run.
    settings : PerceptronSettings
        All but the limits and the method must be those of the run.
    rng : numpy.random.Generator
        Of orders that draw another generator would have been another run.

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
        self.question = {
            "the data": problem.sha256,
            "bias": problem.bias,
            "bias_scale": settings.bias_scale,
            "zero": str(settings.zero),
            "order": str(settings.order),
            "the seed": None if settings.order == "cyclic" else state,
        }

    def read(self) -> "Checkpoint | None":
        """Return what was kept; None where there is no file yet.

        Raises
        ------
        DataError
            The file is damaged, no such file, or of another run.
        """
        from maxmargin.solvers.perceptron.checkpoint import Checkpoint

        if not os.path.exists(self.path):
            return None
        content = state_file.read(self.path)
        words = content.words
        if words.get("kind") != _KIND:
            raise data_error(self.path, found="a state of something else", expected="the state of a perceptron run")
        for name, value in self.question.items():
            if words["question"][name] != value:
                hint = f"{name} differs: remove the file to start anew"
                raise data_error(self.path, found="another run", expected="the state of this run", hint=hint)
        return Checkpoint(arrays=content.arrays, **words["checkpoint"])

    def write(self, checkpoint: "Checkpoint") -> None:
        """Replace what was kept."""
        names = ("numbers", "last_state", "seconds", "has_converged")
        words = {name: getattr(checkpoint, name) for name in names}
        content = {"kind": _KIND, "question": self.question, "checkpoint": words}
        state_file.write(self.path, state_file.Content(words=content, arrays=checkpoint.arrays))


def _state_of(rng: "np.random.Generator") -> dict[str, Any]:
    state = dict(rng.bit_generator.state)
    try:
        json.dumps(state)
    except TypeError as error:
        kind = type(rng.bit_generator).__name__
        raise InvalidOptionError(f"rng is a {kind}; expected PCG64, or a seed, for a run that is kept") from error
    return state
