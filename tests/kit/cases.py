"""Many cases in one test, a loop that lists all failures where parameters would take longer to collect than to run;
and the number of the day, which chooses cases that change from day to day.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import wraps
from typing import Any, TypeVar

import pytest

Value = TypeVar("Value")


def day() -> int:
    """Return the number of the day, or MAXMARGIN_DAY, which repeats the choice of another one."""
    return int(os.environ.get("MAXMARGIN_DAY", datetime.now(UTC).toordinal()))


def of_today(values: Sequence[Value], share: int) -> Sequence[Value]:
    """Return one of `share` values, others every day, so that so many days have them all."""
    return values[day() % share :: share]


def for_each(
    names: str | tuple[str, ...], values: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test with each of the values, as ``pytest.mark.parametrize`` does, but as one test.

    All values are tried, and the test fails with every exception, which has the arguments as a note. Fixtures are
    shared by the calls.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    values = list(values)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def loop(**fixtures: Any) -> None:
            failures = []
            for value in values:
                case = dict(zip(arguments, value if len(arguments) > 1 else [value], strict=True))
                try:
                    test(**case, **fixtures)
                except (Exception, pytest.fail.Exception) as failure:
                    failure.add_note(f"with {case}"[:1000])
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} cases failed", failures)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        loop.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]  # pytest reads it
        return loop

    return decorate
