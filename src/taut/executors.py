"""Where work is done when not in threads of this process: processes that are replaced when they die, or a cluster.

All of them are `concurrent.futures` executors, which is all that anything else asks of them.
"""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Lock
from typing import Any

from taut.errors import OptionError

TRIES = 3
"""How often a piece of work is given to a process: what kills it every time is given up."""

ANSWERS_WITHIN = 5.0
"""[s] in which a scheduler has to answer."""


class RenewedPool(Executor):
    """Processes; when one of them dies, all are replaced, and what they were at is given to the new ones."""

    def __init__(self, processes: int) -> None:
        self._processes, self._lock = processes, Lock()
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._processes, mp_context=multiprocessing.get_context("spawn"))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        promised: Future[Any] = Future()
        promised.set_running_or_notify_cancel()
        self._give(promised, lambda pool: pool.submit(fn, *args, **kwargs), 1)
        return promised

    def _give(self, promised: Future[Any], start: Callable[[ProcessPoolExecutor], Future[Any]], tries: int) -> None:
        with self._lock:
            pool = self._pool
            try:
                future = start(pool)
            except BrokenProcessPool:  # it died while it had nothing to do
                pool = self._pool = self._new()
                future = start(pool)

        def done(found: Future[Any]) -> None:
            error = found.exception()
            if not isinstance(error, BrokenProcessPool):
                _pass_on(promised, found)
            elif tries >= TRIES:
                promised.set_exception(BrokenProcessPool(f"its process died, {TRIES} times (killed, or out of memory)"))
            else:
                with self._lock:
                    if self._pool is pool:  # the first to notice
                        self._pool = self._new()
                try:
                    self._give(promised, start, tries + 1)
                except RuntimeError as closed:  # while everything is shut down
                    promised.set_exception(closed)

        future.add_done_callback(done)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            pool = self._pool
        pool.shutdown(wait=wait, cancel_futures=cancel_futures)


def _pass_on(promised: Future[Any], found: Future[Any]) -> None:
    error = found.exception()
    if error is not None:
        promised.set_exception(error)
    else:
        promised.set_result(found.result())


@contextmanager
def on_cluster(address: str | None) -> Iterator[Executor | None]:
    """Within, an executor on the dask cluster whose scheduler is at this address (tcp://host:8786); None without one.

    A worker that dies is dask's to replace: what it was at is given to another.
    """
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise OptionError('a scheduler needs dask; install it with: pip install "taut[cluster]"') from None
    try:
        client = Client(address, timeout=ANSWERS_WITHIN, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError, ImportError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise OptionError(
            f"--scheduler {address}: no scheduler of dask answers there within {ANSWERS_WITHIN:g} s ({reason}); "
            "start one with `dask scheduler`, and give the tcp:// address that it prints"
        ) from None
    with client, contextlib.closing(_Closing(client.get_executor())) as held:
        yield held.executor


class _Closing:
    def __init__(self, executor: Executor) -> None:
        self.executor = executor

    def close(self) -> None:
        self.executor.shutdown(wait=False)
