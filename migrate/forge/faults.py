"""What can go wrong at a forge, and whether and when it is worth trying again. No message holds a token."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any

from github import GithubException
from github.Requester import Requester
from requests import RequestException

from migrate.migration import MigrateError

_SECONDARY = 60.0
"""Seconds that GitHub asks to wait after a secondary limit that says nothing itself."""
_LATER = 10.0
"""Seconds to wait for a server in trouble."""
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SECRET = re.compile(
    r"gh[a-z]_[\w.\-]{16,}|github_pat_\w{16,}|eyJ[\w-]{8,}\.[\w.\-]+|(?i:bearer|token|basic) [\w.~+/=-]{16,}"
)
"""What looks like a token, as a proxy might repeat it."""


class ForgeError(MigrateError):
    """A request failed. `wait`: seconds after which the same is worth trying again; None: never, as things are."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class RateLimited(ForgeError):
    """Too many requests, of this hour or at once. Nothing may be asked before `wait` is over."""


class Unavailable(ForgeError):
    """The forge or the way to it is in trouble. Whether a write was done is not known: look before writing again."""


class Denied(ForgeError):
    """The token is none, or may not do this."""


class Missing(ForgeError):
    """There is no such thing, or the token may not know of it."""


class Refused(ForgeError):
    """The forge understood the request and does not take it."""


@contextmanager
def told(doing: str) -> Iterator[None]:
    """Turn what PyGithub raises into one of these. `doing`: what the block does, for the message."""
    try:
        yield
    except GithubException as error:
        raise _judge(doing, error) from None
    except RequestException as error:
        # Its text holds addresses, and whatever a proxy has said.
        raise Unavailable(f"GitHub: {doing}: no answer ({type(error).__name__})", _LATER) from None
    except (ValueError, TypeError, KeyError, AttributeError, AssertionError, RuntimeError) as error:
        # A page of a proxy instead of JSON, half of an answer, an address of another host, a redirect there.
        raise Unavailable(f"GitHub: {doing}: not an answer of GitHub's ({type(error).__name__})", _LATER) from None


def _judge(doing: str, error: GithubException) -> ForgeError:
    status, headers = error.status, {name.lower(): text for name, text in (error.headers or {}).items()}
    said = _words(error.data)
    message = f"GitHub: {doing}: {status}{' ' + said if said else ''}"
    if status == 429 or (status == 403 and _is_limit(said, headers)):
        return RateLimited(message, _wait(headers))
    if status in (401, 403):
        return Denied(message + " (archived, or the token may only read, or not do this)" * (status == 403))
    if status in (301, 302, 307, 308):
        return Missing(f"{message} (renamed or transferred: give its name of now)")
    if status in (404, 410):
        return Missing(message)
    if status >= 500 or status in (0, 408):
        return Unavailable(message, max(_number(headers.get("retry-after")) or 0.0, _LATER))
    return Refused(message)


def _is_limit(said: str, headers: Mapping[str, str]) -> bool:
    return Requester.isRateLimitError(said) or "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"


def _wait(headers: Mapping[str, str]) -> float:
    """Seconds, as GitHub's rules are: what it says, else until the limit is renewed, else a minute."""
    after = _number(headers.get("retry-after"))
    if after is not None:
        return max(after, 1.0)
    reset = _number(headers.get("x-ratelimit-reset"))
    if headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        return max(reset - _now(headers), 0.0) + 1.0
    return _SECONDARY


def _now(headers: Mapping[str, str]) -> float:
    """The time by the forge's clock: ours may be wrong."""
    try:
        return parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return time.time()


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and re.fullmatch(r"\d{1,12}", text) else None


def _words(data: Any) -> str:
    """What the forge says of it, in one line, without control characters and anything that looks like a secret."""
    if not isinstance(data, Mapping):
        return ""
    errors = data.get("errors")
    listed = errors if isinstance(errors, list) else []
    more = [each.get("message") if isinstance(each, Mapping) else each for each in listed]
    said = "; ".join(str(each) for each in (data.get("message"), *more) if each)
    return _SECRET.sub("***", _UNSEEN.sub(" ", said[:2_000]))[:300]
