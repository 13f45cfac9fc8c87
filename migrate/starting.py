"""What runs the files of a project, and whether it has a torch_xla: training jobs, endpoints, processing jobs.

A file that nothing but these run, all of them without a torch_xla, must not import it. One that is also run where there
is one, by another job or by a script that is migrated, is *torn*: it cannot serve both as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from posixpath import normpath

from codemods.kit.job_scripts import Started
from codemods.kit.summary import Summary
from migrate.reach import folders_above, join


class Starting:
    """What runs each file of a project."""

    def __init__(self, summaries: Mapping[str, Summary], below: Mapping[str, tuple[str, ...]]) -> None:
        """`below`: by file, those that it imports."""
        self._summaries, self._below = summaries, below

    def script_of(self, launcher: str, started: Started) -> tuple[str, str] | None:
        """The file that a launcher names, with the folder it is named from."""
        paths = {folder: normpath(join(folder, started.script)) for folder in folders_above(launcher)}
        found = ((top, path) for top, path in paths.items() if path in self._summaries and path != launcher)
        return next(found, None)

    def natively(self, file: str) -> tuple[tuple[str, ...], bool]:
        """What runs a file without a torch_xla, in words, and whether it is also run with one."""
        tops = self._tops(file) if self._native else []
        reasons = [reason for top in tops for reason in self._native.get(top, ())]
        torn = any(top not in self._native or top in self._compiled for top in tops)
        return tuple(dict.fromkeys(reasons)), torn

    @cached_property
    def _native(self) -> dict[str, list[str]]:
        """By script, what runs it without a torch_xla."""
        found: dict[str, list[str]] = defaultdict(list)
        for launcher, started, script in self._starts:
            if started.native:
                found[script].append(f"{launcher}:{started.line} runs {script}: {started.native}")
        for file, summary in self._summaries.items():
            if summary.job_role.serves and not summary.trains and file not in found:
                found[file].append(f"{file} serves a model: an endpoint's container has no torch_xla")
        return dict(found)

    @cached_property
    def _compiled(self) -> set[str]:
        return {script for _, started, script in self._starts if not started.native}

    @cached_property
    def _starts(self) -> list[tuple[str, Started, str]]:
        return list(self._found_starts())

    def _found_starts(self) -> Iterator[tuple[str, Started, str]]:
        for launcher, summary in self._summaries.items():
            for started in summary.started:
                found = self.script_of(launcher, started)
                if found is not None:
                    yield launcher, started, found[1]

    @cached_property
    def _above(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for file, others in self._below.items():
            for other in others:
                found[other].append(file)
        return found

    def _tops(self, file: str) -> list[str]:
        """The files that a run of a file begins with: scripts that are started, and those that no other imports."""
        if file in self._native and file not in self._compiled:
            return [file]
        seen, queue = {file}, [file]
        for one in queue:
            for other in self._above.get(one, ()):
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
        return [one for one in queue if one in self._native or one in self._compiled or not self._above.get(one)]
