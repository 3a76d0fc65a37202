"""Clusters of machines: an executor of a dask cluster by the address of its scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from taut.errors import OptionError

ANSWERS_WITHIN = 5.0
"""[s] in which a scheduler has to answer."""


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
    with client:
        executor = client.get_executor()
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)
