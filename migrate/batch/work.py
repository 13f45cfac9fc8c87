"""One program of a run: what is remembered of it, what has to be done, and what has come of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codemods.kit.meaning.libraries import models_state
from codemods.kit.summary import Summary
from migrate.batch.digests import ALONE_DIGEST, digest, digest_of_selection
from migrate.batch.outcomes import Kept, is_silent, left_alone
from migrate.batch.scan import Linkable, Script
from migrate.batch.tasks import Done, Index, Job, Judging, Program, Rewrite, Settings, Task, Whole, lost, restore
from migrate.batch.weight import memory_of, work_of
from migrate.cache import Cache
from migrate.judging import ask, attach, unjudged, wants
from migrate.migration import Migration, Status
from migrate.programs import View, all_wanted, code
from migrate.registry import Selection

if TYPE_CHECKING:
    from migrate.engine.certificate import Certificate

DIED = "its worker ended abruptly: a crash, no memory left, or native code that does not come back"


class Work:
    """A program of a run."""

    def __init__(self, number: int, files: Linkable, select: Callable[[Script], Selection], settings: Settings) -> None:
        self.number, self.scripts, self.settings, self.beside = number, files.scripts, settings, files.beside
        self.wanted = [path for view in files.views for path in view.wanted]
        selections = {path: select(script) for path, script in files.scripts.items()}
        self.judges = settings.verify and any(map(wants, selections.values()))
        self.views = tuple(all_wanted(files.views) if self.judges else files.views)
        self.made = [path for view in self.views for path in view.wanted]
        """The files that are migrated. To judge a program those too that were not asked for."""
        self.linked = any(len(view.members) > 1 or self._beside(view) for view in files.views)
        self.done: dict[str, Done] = {}
        """By file that is migrated."""
        self.certificates: dict[str, Certificate | None] = {}
        """By the first file of each view, when all are migrated; None for a view that is not to be judged."""
        self._selections = {path: selections[path] for path in self.made}
        self._everything = selections[next(iter(files.scripts))]
        self._remembered: dict[str, tuple[bytes, Migration]] = {}
        self._summaries: dict[str, Summary] = {}
        self._new: dict[str, Summary] = {}
        self._pending: set[str] = set()
        """Files still to be indexed before the others can be rewritten."""
        self._chunk = 0

    # --- what is remembered -----------------------------------------------------------------------------------------

    def result_keys(self) -> Iterator[bytes]:
        """What to ask the cache for."""
        yield from map(self._result_key, self.made)
        if self.linked:
            yield self._program_key()
        for view in self.views if self.judges else ():
            yield self.certificate_key(view)

    def recall(self, values: Mapping[bytes, Any]) -> bool:
        """Take the remembered results. False when they are not all there, or of other links than those of now."""
        self._remembered = {path: values[key] for path in self.made if (key := self._result_key(path)) in values}
        links = values.get(self._program_key(), {}) if self.linked else dict.fromkeys(self.made, ALONE_DIGEST)
        keys = {view.members[0]: self.certificate_key(view) for view in self.views if self.judges}
        if not keys.keys() <= {first for first, key in keys.items() if key in values}:
            return False
        for path in self.made:
            if path not in self._remembered or self._remembered[path][0] != links.get(path):
                return False
            # Where there is something to show the text is needed: it must still be the one that the result is of.
            script = self.scripts[path]
            if is_silent(self._remembered[path][1]) or script.file is not None:
                continue
            if script.read_again(script.digest) is None:
                del self._remembered[path]
                script.read()
                return False
        self.done = {path: Done(links=links[path]) for path in self.made}
        self.certificates = {first: values[key] for first, key in keys.items()}
        return True

    def recall_summaries(self, values: Mapping[bytes, Any]) -> None:
        """Take what is remembered of its files one by one."""
        self._summaries = {path: values[key] for path, key in self.summary_keys() if key in values}

    def summary_keys(self) -> Iterator[tuple[str, bytes]]:
        """By file, what to ask the cache for."""
        for path, script in self.scripts.items() if self.linked else ():
            yield path, digest("summary", script.digest)

    def remember(self, cache: Cache) -> None:
        """Have the cache keep what has come of it. What failed is tried again the next time."""
        if any(script.trouble for script in self.scripts.values()):
            return
        for path, key in self.summary_keys():
            if path in self._new:
                cache.put(key, self._new[path])
        for path, done in self.done.items():
            if done.migration is not None and done.migration.status is not Status.FAILED:
                cache.put(self._result_key(path), (done.links, done.migration))
        if self.linked and all(done.links for done in self.done.values()):
            cache.put(self._program_key(), {path: done.links for path, done in self.done.items()})
        for view in self.views if self.judges else ():
            found = self.certificates[view.members[0]]
            if found is None or found.followed:  # else the judge did not come to its end
                cache.put(self.certificate_key(view), found)

    def _result_key(self, path: str) -> bytes:
        script, select = self.scripts[path], self._selections[path]
        place = os.path.abspath(script.name)
        selected = digest_of_selection(select)
        return digest("result", models_state(), place, script.digest, self.settings.target.name, selected)

    def certificate_key(self, view: View) -> bytes:
        """What to ask the cache for, of a view that is judged."""
        parts: list[bytes | str] = ["certificate", models_state(), self.settings.target.name]
        for path in view.members:
            parts += [path, self.scripts[path].digest, digest_of_selection(self._selections[path])]
        parts += [part for each in self._beside(view).items() for part in each]
        return digest(*parts)

    def _program_key(self) -> bytes:
        parts: list[bytes | str] = ["program", models_state()]
        for view in self.views:
            for path in view.members:
                parts += [path, self.scripts[path].digest]
            parts += ["", *view.wanted, "", *(part for each in self._beside(view).items() for part in each)]
        return digest(*parts)

    # --- what has to be done ----------------------------------------------------------------------------------------

    @cached_property
    def lines(self) -> int:
        """How much work it is."""
        return sum(map(work_of, self._texts()))

    @property
    def memory(self) -> int:
        """Bytes of memory that the largest of its files takes at most."""
        return max(map(memory_of, self._texts()), default=0)

    def _texts(self) -> Iterator[str]:
        """Their Python."""
        for script in self.scripts.values():
            file = script.read()
            if file is not None:
                yield code(script.name, file.text)

    @property
    def program(self) -> Program:
        """It, with all that is needed to work on it."""
        return Program(self.number, {path: self._job(path) for path in self.scripts}, self.views, self.beside)

    def _job(self, path: str) -> Job:
        file = self.scripts[path].read()
        known = self._remembered.get(path)
        return Job(
            file.text if file is not None else "",
            self._selections.get(path, self._everything),
            self._summaries.get(path),
            known[0] if known is not None else b"",
        )

    def split(self, chunk: int) -> list[Task]:
        """Its work in several tasks of so many lines; those that rewrite follow when all that index are done."""
        self._chunk = chunk
        jobs = {path: self._job(path) for path in self.scripts}
        unread = {path: job for path, job in jobs.items() if job.summary is None} if self.linked else {}
        self._pending = set(unread)
        if not unread:
            return self._rewrites()
        return [Index(self.number, dict(some)) for some in chunks(unread.items(), _lines_of_job, chunk)]

    def _rewrites(self) -> list[Task]:
        from migrate.project import links_of  # with LibCST: who has nothing to do does without

        texts = {path: file.text for path, script in self.scripts.items() if (file := script.read()) is not None}
        jobs = [
            (path, (self._job(path), links))
            for view in self.views
            for path, links in links_of(view, self._summaries, texts, self._beside(view))
            if path not in self.done
        ]
        return [Rewrite(self.number, dict(some)) for some in chunks(jobs, _lines_of_rewrite, self._chunk)]

    # --- what has come of it ----------------------------------------------------------------------------------------

    @property
    def is_done(self) -> bool:
        """Whether each file has its result, and each view that is judged its certificate."""
        return len(self.done) == len(self.made) and len(self.certificates) == (len(self.views) if self.judges else 0)

    def take(self, path: str, done: Done) -> list[Task]:
        """What a task has found out about a file, or the judge about a view; the tasks that can now be begun."""
        if done.certificate is not None:
            self.certificates[path] = done.certificate
            return []
        if done.summary is not None:
            self._summaries[path] = self._new[path] = done.summary
        if (done.links or done.migration is not None) and path in self._selections:
            self.done[path] = done
            if self.judges and len(self.done) == len(self.made) and not self.certificates:
                return self._to_judge()
        return self._indexed(path)

    def _to_judge(self) -> list[Task]:
        """The views that have anything to judge; the others have no certificate."""
        asked = {view.members[0]: ask(self._whole(view), self._beside(view)) for view in self.views}
        self.certificates = {first: None for first, texts in asked.items() if not texts}
        return list(Judging(self.number, {first: texts for first, texts in asked.items() if texts}).parts())

    def lose(self, task: Task) -> list[Task]:
        """A task that cannot be made any smaller kills its worker; the tasks that are left to do."""
        if isinstance(task, Judging):
            self.certificates |= dict.fromkeys(task.views, unjudged(f"the judge did not come to its end: {DIED}"))
            return []
        if isinstance(task, Whole) and len(task.programs[0].jobs) > 1:
            return self.split(chunk=1)
        paths = task.programs[0].jobs if isinstance(task, Whole) else task.jobs
        (path,) = paths
        if path in self._selections:
            return self.take(path, lost(path, self.settings.target, DIED))
        return self._indexed(path)

    def _indexed(self, path: str) -> list[Task]:
        if path not in self._pending:
            return []
        self._pending.discard(path)
        return [] if self._pending else self._rewrites()

    def results(self) -> Iterator[tuple[Script, Migration]]:
        """Each wanted file and its whole migration."""
        told: dict[str, Migration] = {}
        for view in self.views:
            certificate = self.certificates.get(view.members[0])
            if certificate is not None:
                whole = attach(self._whole(view), certificate, self._selections.__getitem__, self._names())
                told |= {path: whole[path] for path in view.wanted}
        for path in self.wanted:
            yield self.scripts[path], told.get(path) or self._restored(path)

    def _names(self) -> dict[str, str]:
        """What the files are called where they are spoken of: as the user named them, or by the way to them."""
        wanted = set(self.wanted)
        names = {p: one.name if p in wanted else os.path.relpath(one.name) for p, one in self.scripts.items()}
        path, script = next(iter(self.scripts.items()))
        top = script.folder or Path(os.path.relpath(os.path.abspath(script.name).removesuffix(path)))
        return {**{path: str(top / path) for texts in self.beside.values() for path in texts}, **names}

    def _beside(self, view: View) -> Mapping[str, str]:
        return self.beside.get(view.members[0], {})

    def _whole(self, view: View) -> dict[str, Migration]:
        """The migrations of a view with all their texts."""
        return {path: self._restored(path, whole=True) for path in view.members}

    def _restored(self, path: str, *, whole: bool = False) -> Migration:
        script = self.scripts[path]
        if script.trouble:  # gone since it was looked at
            return left_alone(script, self.settings.target)
        bare = self._bare(path)
        file = script.file if is_silent(bare) and not whole else script.read()
        return restore(bare, script.name, file.text if file is not None else "")

    def outcomes(self) -> Iterator[Kept]:
        """What has come of each file."""
        for view in self.views:
            judged = self.certificate_key(view) if self.certificates.get(view.members[0]) is not None else b""
            for path in view.wanted:
                links = self.done[path].links
                yield Kept(self.scripts[path], path, self._result_key(path), links, judged, self._bare(path))

    def _bare(self, path: str) -> Migration:
        done = self.done[path]
        return done.migration if done.migration is not None else self._remembered[path][1]


def chunks(items: Iterable[Any], lines_of: Callable[[Any], int], lines: int) -> Iterator[list[Any]]:
    """Items together, up to so many lines; one that has more is by itself."""
    chunk: list[Any] = []
    size = 0
    for item in items:
        if chunk and size + lines_of(item) > lines:
            yield chunk
            chunk, size = [], 0
        chunk.append(item)
        size += lines_of(item)
    if chunk:
        yield chunk


def _lines_of_job(item: tuple[str, Job]) -> int:
    return item[1].lines


def _lines_of_rewrite(item: tuple[str, tuple[Job, object]]) -> int:
    return item[1][0].lines
