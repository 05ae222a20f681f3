"""Work that threads do ahead of its reader."""

import threading
from threading import Event

from maxmargin.solvers.basics.parallel import in_order


def test_results_come_in_order_whoever_is_first_and_no_thread_is_left() -> None:
    before = set(threading.enumerate())
    assert list(in_order(lambda i: i * i, range(50), n_workers=3, n_ahead=7)) == [i * i for i in range(50)]
    assert not set(threading.enumerate()) - before


def test_a_reader_closed_by_one_of_its_own_threads_ends_without_waiting_for_itself() -> None:
    suspended, ended = Event(), Event()
    errors: list[BaseException] = []

    def work(item: int) -> int:
        if item == 1:
            suspended.wait()
            try:
                reader.close()
            except BaseException as error:  # what the thread would swallow
                errors.append(error)
            ended.set()
        return item

    reader = in_order(work, range(10), n_workers=1, n_ahead=2)
    assert next(reader) == 0
    suspended.set()
    assert ended.wait(60)
    assert errors == []


def test_a_reader_that_is_abandoned_waits_for_no_thread() -> None:
    # A garbage collection may close it in a thread that holds a lock which joining needs.
    started, released = Event(), Event()

    def work(item: int) -> int:
        if item == 1:
            started.set()
            released.wait(60)
        return item

    reader = in_order(work, range(10), n_workers=1, n_ahead=2)
    assert next(reader) == 0
    assert started.wait(60)
    reader.close()
    assert not released.is_set(), "closing came back before the work was done"
    released.set()
