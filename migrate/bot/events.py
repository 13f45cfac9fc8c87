"""From what GitHub delivers to what is to be done. Pure.

Payloads are read leniently: GitHub adds and leaves out fields as it likes. Only names and numbers are taken from them;
a job asks the forge for everything else when it runs.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any

from migrate.bot.commands import read_command
from migrate.bot.jobs import Asked, Details, Job

BRANCHES = "tc-migrate/"
"""What the names of the bot's branches begin with."""
_NAME = re.compile(r"(?!.*/\.{1,2}$)[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9_.-]{1,100}")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BUTTON = re.compile(r"[A-Za-z0-9_.-]{1,20}")
_LOGIN = re.compile(r"[A-Za-z0-9_-]{1,100}(?:\[bot\])?")
_NOTHING = Asked()


def read_event(event: str, payload: Any, app: str = "tc-migrate") -> Asked:
    """What a delivery asks for, often nothing. `event`: of the header `X-GitHub-Event`; `app`: the App's own name.

    Never raises, whatever the payload is. The bot's own doings ask for nothing, or it would answer itself for ever.
    """
    reader = _READERS.get(event)
    if reader is None or _text(payload, "sender", "login").lower() == f"{app.lower()}[bot]":
        return _NOTHING
    found = reader(payload)
    return found if isinstance(found, Asked) else Asked((found,)) if found is not None else _NOTHING


def _push(payload: Any) -> Job | None:
    branch, commit = _text(payload, "repository", "default_branch"), _text(payload, "after")
    if not branch or _text(payload, "ref") != f"refs/heads/{branch}" or not _COMMIT.fullmatch(commit):
        return None
    if _get(payload, "deleted") is True or _is_unwanted(payload):
        return None
    return _job("push", payload, "push", {"branch": branch, "commit": commit})


def _installation(payload: Any) -> Asked:
    action, number = _text(payload, "action"), _number(payload, "installation", "id")
    if action in ("deleted", "suspend"):
        return Asked(left_installation=number)
    if action in ("created", "new_permissions_accepted"):
        return Asked(_installed(payload, "repositories"))
    return _NOTHING


def _installation_repositories(payload: Any) -> Asked:
    names = frozenset(_names(payload, "repositories_removed"))
    added = _installed(payload, "repositories_added")
    return Asked(added, names)


def _installed(payload: Any, field: str) -> tuple[Job, ...]:
    number, sender = _number(payload, "installation", "id"), _sender(payload)
    return tuple(
        Job("installed", name, _key(name, "installed"), number, sender, {}, 2) for name in _names(payload, field)
    )


def _pull_request(payload: Any) -> Job | None:
    """A pull request of the bot's own that somebody closed, merged or opened again."""
    pull = _get(payload, "pull_request")
    branch, name = _text(pull, "head", "ref"), _text(payload, "repository", "full_name")
    number = _number(payload, "number")
    if _text(payload, "action") not in ("closed", "reopened") or number is None or not branch.startswith(BRANCHES):
        return None
    if _text(pull, "head", "repo", "full_name").lower() != name.lower():
        return None  # somebody's fork has a branch of that name
    details: Details = {"number": number, "branch": branch, "merged": _get(pull, "merged") is True}
    return _job("closed", payload, f"closed:{number}", details)


def _issue_comment(payload: Any) -> Job | None:
    number, comment = _number(payload, "issue", "number"), _number(payload, "comment", "id")
    if _text(payload, "action") != "created" or number is None or comment is None or _is_unwanted(payload):
        return None
    if "Bot" in (_text(payload, "sender", "type"), _text(payload, "comment", "user", "type")):
        return None
    sender, command = _sender(payload), read_command(_text(payload, "comment", "body"))
    if command is None or not sender or _is_old(_text(payload, "comment", "created_at")):
        return None
    details: Details = {
        "command": command.word,
        "argument": command.argument,
        "problem": command.problem,
        "number": number,
        "comment": comment,
        "is_pull_request": isinstance(_get(payload, "issue", "pull_request"), dict),
    }
    # No proof of a right, but who has none must not keep the others waiting.
    is_known = _text(payload, "comment", "author_association") in ("OWNER", "MEMBER", "COLLABORATOR")
    return _job("command", payload, f"comment:{comment}", details, urgency=0 if is_known else 1)


def _check_run(payload: Any) -> Job | None:
    """Somebody wants the check again, or pressed a button of it."""
    action = _text(payload, "action")
    if action not in ("rerequested", "requested_action") or _text(payload, "check_run", "name") != "tc-migrate":
        return None
    button = _text(payload, "requested_action", "identifier") if action == "requested_action" else ""
    return _check(payload, _text(payload, "check_run", "head_sha"), button, _number(payload, "check_run", "id"))


def _check_suite(payload: Any) -> Job | None:
    """Somebody wants all checks of the App again. GitHub says so only to the App whose checks they are."""
    if _text(payload, "action") != "rerequested":
        return None
    return _check(payload, _text(payload, "check_suite", "head_sha"), "")


def _check(payload: Any, commit: str, button: str, run: int | None = None) -> Job | None:
    if not _COMMIT.fullmatch(commit) or _is_unwanted(payload) or _text(payload, "sender", "type") == "Bot":
        return None
    if button and not _BUTTON.fullmatch(button):
        return None
    details: Details = {"commit": commit, "button": button, "run": run}
    return _job("check", payload, f"check:{commit}:{button}", details, urgency=0)


_READERS = {
    "push": _push,
    "installation": _installation,
    "installation_repositories": _installation_repositories,
    "pull_request": _pull_request,
    "issue_comment": _issue_comment,
    "check_run": _check_run,
    "check_suite": _check_suite,
}


def _job(kind: str, payload: Any, key: str, details: Details, urgency: int = 1) -> Job | None:
    name = _text(payload, "repository", "full_name")
    if not _NAME.fullmatch(name):
        return None
    number = _number(payload, "installation", "id")
    return Job(kind, name, _key(name, key), number, _sender(payload), details, urgency)


def _key(repository: str, key: str) -> str:
    return f"{repository.lower()} {key}"


def _is_unwanted(payload: Any) -> bool:
    """Nobody can push to what is archived; a template is nobody's code yet. A fork's own settings may want the bot."""
    repository = _get(payload, "repository")
    return any(_get(repository, field) is True for field in ("archived", "disabled", "is_template"))


def _is_old(written: str) -> bool:
    """Whether it is no news any more: GitHub delivers again for three days, whoever has caught a delivery for ever."""
    try:
        then = datetime.fromisoformat(written.replace("Z", "+00:00"))
        return datetime.now(timezone.utc) - then > timedelta(days=7)
    except (ValueError, TypeError, OverflowError):
        return False


def _names(payload: Any, field: str) -> list[str]:
    found = _get(payload, field)
    names = (_text(each, "full_name") for each in (found if isinstance(found, list) else ()))
    return list(dict.fromkeys(name for name in names if _NAME.fullmatch(name)))


def _sender(payload: Any) -> str:
    login = _text(payload, "sender", "login")
    return login if _LOGIN.fullmatch(login) else ""


def _get(payload: Any, *path: str) -> Any:
    for name in path:
        payload = payload.get(name) if isinstance(payload, dict) else None
    return payload


def _text(payload: Any, *path: str) -> str:
    found = _get(payload, *path)
    return found if isinstance(found, str) else ""


def _number(payload: Any, *path: str) -> int | None:
    """A number that SQLite can hold."""
    found = _get(payload, *path)
    return found if type(found) is int and 0 < found < 2**63 else None
