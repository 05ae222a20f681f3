"""The tables of engines: hard margins, soft margins, nu-SVMs and verdicts each have one, in the order of asking."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple


class EngineRow(NamedTuple):
    """A way to an answer.

    Attributes
    ----------
    name : str
        The method by which it is asked for.
    suits : callable
        Whether `auto` asks it about a question, after what the engines before have found.
    ask : callable
        Looks for the answer of a question within limits; each table says what it returns.
    """

    name: str
    suits: Callable[[Any], bool]
    ask: Callable[[Any, Any], Any]


def always(question: Any) -> bool:
    """Return True, for an engine that suits all questions."""
    return True


def engines_to_ask(table: Iterable[EngineRow], method: str, question: Any) -> Iterator[EngineRow]:
    """Yield the engines that suit a question, or those of the method, each name once."""
    seen = set[str]()
    for engine in table:
        is_asked = engine.suits(question) if method in ("auto", "textbook") else engine.name == method
        if is_asked and engine.name not in seen:
            seen.add(engine.name)
            yield engine
