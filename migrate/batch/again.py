"""A run over what an earlier run has left as it is: that one's results are taken as a whole.

Most files of a run have nothing to show. So what is remembered of a run is one digest of the names, sizes and times of
all its files, and those that had something to show. While the digest is the same only these are looked up and read.
"""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from codemods.kit.meaning.libraries import models_state
from migrate.batch.digests import digest, digest_of_selection
from migrate.batch.outcomes import is_silent
from migrate.batch.scan import Script
from migrate.batch.tasks import restore
from migrate.batch.work import Work
from migrate.cache import SETTLED_NS, Cache
from migrate.judging import attach
from migrate.migration import Migration, Status

if TYPE_CHECKING:
    from migrate.batch.run import Order


class Shown(NamedTuple):
    """A file that there was something to show of."""

    place: int
    """Among the files of the run."""
    digest: bytes
    """Of its bytes."""
    key: bytes
    """Of its result in the cache."""
    links: bytes
    """The digest of the links that the result is of."""
    path: str
    """In its program."""
    certificate: bytes
    """The key of its program's certificate in the cache; empty for none."""


class Standing:
    """How the files of a run stand before any of them is read."""

    def __init__(self, names: Sequence[str], statuses: Sequence[os.stat_result | None]) -> None:
        """Of each its name, and its status as the system told it."""
        known = [status for status in statuses if status is not None]
        sizes = array("q", [status.st_size for status in known])
        changed = array("q", [status.st_mtime_ns for status in known])
        renewed = array("q", [status.st_ctime_ns for status in known])
        self.is_known = 0 < len(known) == len(statuses)
        """Whether there are files, and the system told of each."""
        self.is_settled = time.time_ns() - max((*changed, *renewed), default=0) > SETTLED_NS
        """Whether no file can have changed since without its times telling."""
        self.digest = digest("\0".join(names), *map(bytes, (sizes, changed, renewed)))
        """While it is the same, so are the texts of the files."""


class LastRun:
    """What is remembered of the last run over the same folders."""

    def __init__(self, scripts: Sequence[Script], order: Order, cache: Cache) -> None:
        """To be made before any of the files is read."""
        self._scripts, self._cache, self._target, self._select = scripts, cache, order.target, order.select
        folders = dict.fromkeys(script.folder for script in scripts)
        asked = order.target.name, str(order.prefilter), str(order.verify), models_state()
        self._key = digest("run", os.getcwd(), *map(str, folders), *asked)
        standing = Standing([script.name for script in scripts], [script.status for script in scripts])
        selections: list[bytes] = []
        for selection, alike in groupby(map(order.select, scripts)):
            selections += [digest_of_selection(selection), b"%d" % len(list(alike))]
        self._state = digest(standing.digest, *selections)
        # Scripts given by themselves may import what is not among the files of the run.
        self._is_of_use = standing.is_known and None not in folders
        self._is_lasting = standing.is_settled

    def results(self) -> list[tuple[Script, Migration]] | None:
        """What came of it; None when anything is other than it was then, or nothing is remembered."""
        if not self._is_of_use:
            return None
        state, shown = self._cache.get([self._key]).get(self._key, (b"", ()))
        if state != self._state:
            return None
        values = self._cache.get(key for each in shown for key in (each.key, each.certificate))
        found: dict[str, Migration] = {}
        judged: dict[bytes, dict[str, Script]] = {}
        for each in shown:
            links, bare = values.get(each.key, (b"", None))
            script = self._scripts[each.place]
            file = script.read_again(each.digest) if bare is not None and links == each.links else None
            if file is None:
                return None
            found[script.name] = restore(bare, script.name, file.text)
            if each.certificate:
                judged.setdefault(each.certificate, {})[each.path] = script
        for key, scripts in judged.items():
            if key not in values:
                return None
            names = {path: script.name for path, script in scripts.items()}
            folder = next(iter(scripts.values())).folder or Path()
            others = {path: str(folder / path) for path in values[key].followed}
            whole = {path: found[name] for path, name in names.items()}
            selections = {path: self._select(script) for path, script in scripts.items()}
            told = attach(whole, values[key], selections.__getitem__, {**others, **names})
            found |= {names[path]: migration for path, migration in told.items()}
        target = self._target.name
        return [
            (script, found.get(script.name) or Migration(script.name, target, Status.UNCHANGED, "", ""))
            for script in self._scripts
        ]

    def replace(self, works: Iterable[Work]) -> None:
        """Remember this run instead, all of whose works are done. What failed is tried again the next time."""
        if not (self._is_of_use and self._is_lasting) or any(script.trouble for script in self._scripts):
            return
        places = {id(script): place for place, script in enumerate(self._scripts)}
        shown = []
        for work in works:
            for each in work.outcomes():
                if each.bare.status is Status.FAILED:
                    return
                if each.certificate or not is_silent(each.bare):
                    place, digest_of_text = places[id(each.script)], each.script.digest
                    shown.append(Shown(place, digest_of_text, each.key, each.links, each.path, each.certificate))
        self._cache.put(self._key, (self._state, tuple(shown)))
