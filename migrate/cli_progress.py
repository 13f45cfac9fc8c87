"""The bar that shows a person at a terminal how far a run is. Imports rich, so it is imported only there."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

_WORTH_SHOWING = 5_000
"""Lines of work, a second or two: for less a bar is but a flicker."""


class Bar:
    """Files done, files a second, and the time that is left. It vanishes when the run is over."""

    def __init__(self) -> None:
        columns = (
            BarColumn(),
            TextColumn("{task.fields[done]}/{task.fields[files]} files, {task.fields[rate]:.0f} a second"),
            TimeRemainingColumn(),
        )
        # No thread of its own: workers are forked while the bar is there.
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
        self._task: TaskID | None = None
        self._done = 0

    def begin(self, files: int, lines: int) -> None:
        """So much is to be done."""
        if lines >= _WORTH_SHOWING:
            self._progress.start()
            self._task = self._progress.add_task("", total=lines, files=files, done=0, rate=0.0)

    def advance(self, files: int, lines: int) -> None:
        """So much more is done."""
        if self._task is None:
            return
        self._done += files
        elapsed = self._progress.tasks[0].elapsed or 0.0
        rate = self._done / elapsed if elapsed else 0.0
        self._progress.update(self._task, advance=lines, done=self._done, rate=rate)
        self._progress.refresh()

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
