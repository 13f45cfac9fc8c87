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


class LastRun:
    """What is remembered of the last run over the same folders."""

    def __init__(self, scripts: Sequence[Script], order: Order, cache: Cache) -> None:
        """To be made before any of the files is read."""
        self._scripts, self._cache, self._target = scripts, cache, order.target
        folders = dict.fromkeys(script.folder for script in scripts)
        self._key = digest("run", os.getcwd(), *map(str, folders), order.target.name, str(order.prefilter))
        self._begun = time.time_ns()
        self._newest = 0
        self._state = self._sum_up(order)

    def results(self) -> list[tuple[Script, Migration]] | None:
        """What came of it; None when anything is other than it was then, or nothing is remembered."""
        if not self._state:
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
        is_settled = self._begun - self._newest > SETTLED_NS
        if not self._state or not is_settled or any(script.trouble for script in self._scripts):
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

    def _sum_up(self, order: Order) -> bytes:
        """The digest of all that the results depend on; empty for scripts given by themselves, which may import what
        is not among the files of the run."""
        numbers = array("q")
        for script in self._scripts:
            status = script.status
            if status is None or script.folder is None:
                return b""
            numbers.extend((status.st_size, status.st_mtime_ns, status.st_ctime_ns))
        self._newest = max(max(numbers[1::3], default=0), max(numbers[2::3], default=0))
        names = "\0".join([script.name for script in self._scripts])
        selections: list[bytes] = []
        for selection, scripts in groupby(map(order.select, self._scripts)):
            selections += [digest_of_selection(selection), b"%d" % sum(1 for _ in scripts)]
        return digest(numbers.tobytes(), names, *selections)
