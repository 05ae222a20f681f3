"""The page templates and the wording of longer explanations, read as package data."""

import tomllib
from functools import cache
from importlib.resources import files


def wording(name: str, **parts: str) -> str:
    """Return the explanation of this name in `wording.toml`, with its parts filled in.

    Examples
    --------
    >>> wording("quasi_complete", model="The model", separated="2 rows", touching="1 row")[:52]
    'The model has no maximum-likelihood estimate (quasi-'
    """
    return _texts()[name].format(**parts)


@cache
def _texts() -> dict[str, str]:
    return tomllib.loads(files(__name__).joinpath("wording.toml").read_text(encoding="utf-8"))
