"""Runs tasks here: for few files starting workers would take longer than the work."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from migrate.batch.tasks import Results, Settings, Task, run


class InProcess:
    """No pool: one task after the other, in this process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._waiting: deque[Task] = deque()

    def add(self, task: Task) -> None:
        """Have a task done."""
        self._waiting.append(task)

    add_suspect = add

    def results(self) -> Iterator[tuple[Task, Results | Exception]]:
        """Each task with its results, in the order added; or with what it raised."""
        while self._waiting:
            task = self._waiting.popleft()
            try:
                found: Results | Exception = run(task, self._settings)
            except Exception as error:
                found = error
            yield task, found
