"""Work on consecutive parts, by threads that run ahead of the reader of the results."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from maxmargin.solvers.basics.limits import n_threads

A = TypeVar("A")
T = TypeVar("T")


def in_order(
    work: Callable[[A], T], items: Iterable[A], *, n_workers: int | None = None, n_ahead: int | None = None
) -> Generator[T, None, None]:
    """Yield ``work(item)`` in order, computed by threads at most `n_ahead` items ahead of the reader.

    The default is two items a thread.
    """
    n_workers = n_threads() if n_workers is None else n_workers
    n_ahead = 2 * n_workers if n_ahead is None else n_ahead
    waiting: deque[Future[T]] = deque()
    pool, is_abandoned = ThreadPoolExecutor(n_workers), False
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > n_ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except GeneratorExit:
        is_abandoned = True
        raise
    finally:
        # An abandoned reader can be collected in any thread at any moment: in one of the pool's own, or in one that is
        # just being started and holds the lock that joining a thread takes. So nobody waits for its threads.
        pool.shutdown(wait=not is_abandoned, cancel_futures=True)


def slices(n_rows: int, step: int) -> Iterator[slice]:
    """Yield consecutive slices of at most `step` rows."""
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
