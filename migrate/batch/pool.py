"""Runs tasks in other processes, and survives what they do there. Any `concurrent.futures.Executor` will do.

A worker that dies takes its pool with it, and nobody says which of the tasks in flight it was. Those are then run one
at a time in a pool of one: the one that breaks that as well is the culprit, and is given back as such.
"""

from __future__ import annotations

import heapq
import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, cast

from migrate.batch.limits import become_worker, share_of_memory
from migrate.batch.tasks import Results, Settings, Task, run
from migrate.migration import MigrateError

Start = Callable[[int], Executor]
"""Starts an executor of that many workers."""


class Pool:
    """Tasks in and results out, in no order. Tasks may be added while results are taken."""

    def __init__(self, start: Start, workers: int, settings: Settings) -> None:
        self._start, self._workers, self._settings = start, workers, settings
        self._executor: Executor | None = None
        self._others = multiprocessing.active_children()
        self._waiting: list[tuple[int, int, Task]] = []
        self._suspects: list[Task] = []
        self._running: dict[Future[Results], Task] = {}
        self._numbers = count()

    def add(self, task: Task) -> None:
        """Have a task done. Those that cost most are begun first."""
        heapq.heappush(self._waiting, (-task.lines, next(self._numbers), task))

    def add_suspect(self, task: Task) -> None:
        """Have a task done alone, that may be one which kills its worker."""
        self._suspects.append(task)

    def results(self) -> Iterator[tuple[Task, Results | Exception]]:
        """Each task with its results; or, when it kills its worker or cannot be sent, with what came of that."""
        try:
            while self._waiting or self._running or self._suspects:
                self._fill()
                if not self._running:
                    yield from self._try_alone()
                    continue
                done, _ = wait(self._running, return_when=FIRST_COMPLETED)
                broken = False
                for future in done:
                    task = self._running.pop(future)
                    error = future.exception()
                    if error is None:
                        yield task, future.result()
                    else:
                        self._suspects.append(task)
                        broken = True
                if broken:
                    self._suspects += self._running.values()
                    self._running.clear()
                    self.close()
        except BaseException:
            self.stop()
            raise
        self.close()

    def close(self) -> None:
        """End the workers, which have nothing to do."""
        if self._executor is not None:
            self._executor.shutdown(wait=True)
            self._executor = None

    def stop(self) -> None:
        """End the workers whatever they are doing."""
        executor, self._executor = self._executor, None
        for process in multiprocessing.active_children():
            if process not in self._others:
                process.kill()
        if isinstance(executor, ProcessPoolExecutor):
            # It finds its workers dead and gives up what is left by itself: futures must not be cancelled under it.
            executor.shutdown(wait=True)
        elif executor is not None:
            for future in self._running:
                future.cancel()
            with suppress(Exception):
                executor.shutdown(wait=False)

    def _fill(self) -> None:
        """Few tasks wait at the workers: what is in flight is suspect when one of them dies."""
        while self._waiting and len(self._running) < 2 * self._workers:
            _, _, task = heapq.heappop(self._waiting)
            if self._executor is None:
                self._executor = self._start(self._workers)
            with _undisturbed():
                self._running[self._executor.submit(run, task, self._settings)] = task

    def _try_alone(self) -> Iterator[tuple[Task, Results | Exception]]:
        suspects, self._suspects = self._suspects, []
        executor: Executor | None = None
        for task in suspects:
            executor = executor or self._start(1)
            with _undisturbed():
                future = executor.submit(run, task, self._settings)
            try:
                yield task, future.result()
            except Exception as error:
                executor.shutdown(wait=True)
                executor = None
                yield task, error
        if executor is not None:
            executor.shutdown()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C waits until the block is done. Workers are started in it: what is raised while a process forks is lost,
    or kills a worker that does not ignore it yet."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_local(workers: int) -> Executor:
    """Processes on this machine. Forked where that is safe: they have LibCST and every codemod loaded already."""
    share = share_of_memory(workers)
    return ProcessPoolExecutor(workers, mp_context=_context(), initializer=become_worker, initargs=(share,))


def _context() -> Any:
    if "fork" in multiprocessing.get_all_start_methods() and not _has_threads():
        return multiprocessing.get_context("fork")
    context = multiprocessing.get_context("forkserver" if "forkserver" in _methods() else "spawn")
    context.set_forkserver_preload(["migrate.batch.tasks"])
    return context


def _methods() -> list[str]:
    return multiprocessing.get_all_start_methods()


def _has_threads() -> bool:
    """A fork copies the locks that other threads hold, and not the threads: nobody would ever release them."""
    import threading

    return threading.active_count() > 1


def start_dask(address: str, seconds: float = 10) -> Start:
    """The workers of a dask cluster, which need tc-migrate installed. Raises MigrateError when no scheduler answers
    at `dask://host:port` in so many seconds."""
    try:
        import distributed
    except ImportError as error:
        raise MigrateError("--executor dask://... needs dask: pip install 'tc-migrate[dask]'") from error
    connect: Any = distributed.Client  # has no types
    try:
        client = connect(address.replace("dask://", "tcp://"), timeout=seconds)
    except (OSError, ValueError, TimeoutError) as error:
        raise MigrateError(f"no dask scheduler answers at {address}: {error}") from error
    return lambda workers: cast(Executor, client.get_executor(pure=False))
