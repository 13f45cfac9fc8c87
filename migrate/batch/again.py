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
from typing import TYPE_CHECKING, NamedTuple

from migrate.batch.digests import digest, digest_of_selection
from migrate.batch.scan import Script
from migrate.batch.tasks import restore
from migrate.batch.work import Work, is_silent
from migrate.cache import SETTLED_NS, Cache
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
        self._scripts, self._cache, self._target = scripts, cache, order.target
        folders = dict.fromkeys(script.folder for script in scripts)
        self._key = digest("run", os.getcwd(), *map(str, folders), order.target.name, str(order.prefilter))
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
        values = self._cache.get(each.key for each in shown)
        found: dict[str, Migration] = {}
        for each in shown:
            links, bare = values.get(each.key, (b"", None))
            script = self._scripts[each.place]
            file = script.read_again(each.digest) if bare is not None and links == each.links else None
            if file is None:
                return None
            found[script.name] = restore(bare, script.name, file.text)
        names, target = (script.name for script in self._scripts), self._target.name
        migrations = (found.get(name) or Migration(name, target, Status.UNCHANGED, "", "") for name in names)
        return list(zip(self._scripts, migrations, strict=True))

    def replace(self, works: Iterable[Work]) -> None:
        """Remember this run instead, all of whose works are done. What failed is tried again the next time."""
        if not (self._is_of_use and self._is_lasting) or any(script.trouble for script in self._scripts):
            return
        places = {id(script): place for place, script in enumerate(self._scripts)}
        shown = []
        for work in works:
            for script, key, links, bare in work.outcomes():
                if bare.status is Status.FAILED:
                    return
                if not is_silent(bare):
                    shown.append(Shown(places[id(script)], script.digest, key, links))
        self._cache.put(self._key, (self._state, tuple(shown)))
