"""A token just minted, a pull request just opened: for some seconds not all of GitHub knows of them.

A 401 or a 404 is then asked again, three times within a few seconds. Neither has done anything, so a write may be too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from urllib3.util.retry import Retry

_SECONDS = 30.0
_MOST = 3


@dataclass
class Moment:
    """When something was minted or made last, in seconds of `time.monotonic`."""

    at: float = float("-inf")

    def set(self) -> None:
        """It is now."""
        self.at = time.monotonic()


class Settling(Retry):
    """As PyGithub's connections take it: it tries again for that reason only."""

    moment = Moment()

    @classmethod
    def after(cls, moment: Moment, pause: float) -> Settling:
        """`pause`: seconds before the second try, twice as many before the third; the first is at once."""
        found = cls(
            total=None, connect=0, read=False, redirect=0, other=0, status=_MOST, backoff_factor=pause / 2,
            respect_retry_after_header=False, raise_on_status=False,
        )  # fmt: skip
        found.moment = moment
        return found

    def new(self, **more: Any) -> Settling:
        """The same with fewer tries left."""
        found = super().new(**more)
        found.moment = self.moment
        return found

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:
        """Whether an answer is one that time mends."""
        return status_code in (401, 404) and time.monotonic() - self.moment.at < _SECONDS
