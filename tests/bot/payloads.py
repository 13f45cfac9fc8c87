"""Webhook payloads made by hand: the fields that GitHub sends and the bot looks at, and some that it does not."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PERSON = {"login": "alice", "id": 7, "type": "User", "user_view_type": "public"}
BOT = {"login": "tc-migrate[bot]", "id": 8, "type": "Bot"}


def repository(name: str = "octo/train", **more: Any) -> dict[str, Any]:
    owner, _, short = name.partition("/")
    common = {"id": 1, "full_name": name, "name": short, "owner": {"login": owner}, "default_branch": "main"}
    return {**common, "fork": False, "archived": False, "private": True, **more}


def payload(name: str = "octo/train", sender: dict[str, Any] = PERSON, **more: Any) -> dict[str, Any]:
    return {"repository": repository(name), "sender": sender, "installation": {"id": 42, "node_id": "x"}, **more}


def push(name: str = "octo/train", **more: Any) -> dict[str, Any]:
    return {**payload(name), "ref": "refs/heads/main", "after": COMMIT, "deleted": False, "commits": [], **more}


def comment(
    body: str, name: str = "octo/train", number: int = 12, login: str = "alice", id: int = 99
) -> dict[str, Any]:
    person = {**PERSON, "login": login}
    return {
        **payload(name, person),
        "action": "created",
        "issue": {"number": number, "pull_request": {"url": "https://api.github.com/x"}},
        "comment": {"id": id, "body": body, "user": person, "author_association": "OWNER"},
    }


def closed(name: str = "octo/train", branch: str = "tc-migrate/smtc", head: str = "octo/train") -> dict[str, Any]:
    pull = {"number": 12, "merged": False, "head": {"ref": branch, "repo": {"full_name": head}}}
    return {**payload(name), "action": "closed", "number": 12, "pull_request": pull}


def sign(body: bytes, secret: str) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, sha256).hexdigest()
