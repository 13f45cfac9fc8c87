"""What nobody asks for: missed deliveries are asked of GitHub again, lost leases taken back, old rows forgotten.

GitHub delivers once. What it could not deliver, because nobody listened or the answer came too late, it delivers again
only when asked to, for three days.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from types import FrameType

from migrate.bot.queue import Queue
from migrate.forge.faults import Denied, ForgeError
from migrate.forge.tokens import App, Delivery

_LOG = logging.getLogger("tc-migrate.sweeper")


@dataclass(frozen=True)
class Bounds:
    """How far a sweep goes."""

    every: float = 600
    """Seconds between two sweeps."""
    reach: timedelta = timedelta(days=3)
    """GitHub does not deliver anew what is older."""
    pages: int = 50
    """Of a hundred tries each, which are asked for at most."""
    tries: int = 5
    """After so many a delivery is left: whoever cannot take it now never will."""
    at_once: int = 200
    """Deliveries asked for in one sweep. The others have their turn in the next."""


class Sweeper:
    """Sweeps at once and then every ten minutes. One of them is enough; two do no harm."""

    def __init__(
        self,
        queue: Queue,
        app: App,
        bounds: Bounds | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self._queue, self._app, self._bounds, self._now = queue, app, bounds or Bounds(), now
        self._stopping = threading.Event()
        self._left: set[str] = set()
        """Deliveries that were told to be lost."""

    def run(self) -> None:
        """Until SIGTERM or Ctrl-C. Raises `sqlite3.Error` when the queue cannot be used."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._stopping.is_set():
            self.sweep()
            self._stopping.wait(self._bounds.every)
        self._queue.close()

    def sweep(self) -> int:
        """Once; gives how many deliveries were asked for. That GitHub does not answer is only noted."""
        self._queue.recover()
        self._queue.prune()
        asked = 0
        try:
            for missed in self._worth_asking(find_missed(self._look_back(), self._queue.known)):
                if self._stopping.is_set():
                    break
                _LOG.warning("delivery %s (%s) was missed: asked for again", missed.guid, missed.event)
                self._app.redeliver(missed.id)
                asked += 1
        except Denied as error:
            _LOG.error("missed deliveries cannot be asked for: %s", error)
        except ForgeError as error:
            _LOG.warning("missed deliveries are asked for later: %s", error)
        finally:
            self._app.close()  # nothing is asked for ten minutes
        return asked

    def _worth_asking(self, missed: Sequence[Missed]) -> list[Delivery]:
        """As many as one sweep asks for. Of those that nobody could take however often they came it is said once."""
        for each in missed:
            last = each.last
            if each.tries >= self._bounds.tries and last.guid not in self._left:
                self._left.add(last.guid)
                _LOG.error("delivery %s (%s) failed %d times and is lost", last.guid, last.event, each.tries)
        return [each.last for each in missed if each.tries < self._bounds.tries][: self._bounds.at_once]

    def _look_back(self) -> list[Delivery]:
        found: list[Delivery] = []
        oldest = self._now() - self._bounds.reach
        for number, page in enumerate(self._app.deliveries(), 1):
            found += [each for each in page if each.delivered >= oldest]
            if self._stopping.is_set() or any(each.delivered < oldest for each in page):
                return found
            if number == self._bounds.pages:
                _LOG.warning("only the latest %d deliveries were looked at", len(found))
                return found
        return found

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping.set()


@dataclass(frozen=True)
class Missed:
    """A delivery that never arrived."""

    last: Delivery
    """The last try."""
    tries: int


def find_missed(tries: Sequence[Delivery], known: Callable[[Iterable[str]], set[str]]) -> list[Missed]:
    """Each delivery that never arrived, the longest missed first.

    `known`: which of them are in the queue, whatever GitHub has seen of that.
    """
    by_guid: dict[str, list[Delivery]] = {}
    for each in tries:
        by_guid.setdefault(each.guid, []).append(each)
    failed = {guid: them for guid, them in by_guid.items() if not any(each.is_ok for each in them)}
    arrived = known(failed)
    missed = [Missed(max(them, key=_when), len(them)) for guid, them in failed.items() if guid not in arrived]
    return sorted(missed, key=lambda each: _when(each.last))


def _when(delivery: Delivery) -> tuple[datetime, int]:
    return delivery.delivered, delivery.id
