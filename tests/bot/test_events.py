"""What deliveries ask for, and what is no command."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.bot.commands import Command, read_command
from migrate.bot.events import read_event
from migrate.bot.jobs import Asked, Job
from tests.bot.payloads import BOT, COMMIT, closed, comment, payload, push, repository

EXAMPLES = os.environ.get("WEBHOOK_EXAMPLES", "")
"""The folder of `npm install @octokit/webhooks-examples`, when there is one."""
NOTHING = Asked()
EVENTS = "push installation installation_repositories pull_request issue_comment check_run check_suite".split()


def job(event: str, given: dict[str, Any]) -> Job:
    (found,) = read_event(event, given).jobs
    return found


# --- events -------------------------------------------------------------------------------------------------------


def test_a_push_to_the_default_branch() -> None:
    details = {"branch": "main", "commit": COMMIT}
    assert job("push", push()) == Job("push", "octo/train", "octo/train push", 42, "alice", details)


@pytest.mark.parametrize(
    "more",
    [
        {"ref": "refs/heads/feature"},
        {"ref": "refs/tags/main"},
        {"deleted": True},
        {"after": "HEAD; rm -rf /"},
        {"after": COMMIT + "\n"},
        {"sender": BOT},
        {"repository": repository(archived=True)},
        {"repository": repository(is_template=True)},
        {"repository": repository("../etc")},
        {"repository": repository("octo/..")},
        {"repository": repository("octo/a b")},
        {"repository": repository(default_branch=None)},
        {"repository": "octo/train"},
        {"repository": None},
    ],
)
def test_other_pushes_ask_for_nothing(more: dict[str, Any]) -> None:
    assert read_event("push", push(**more)) == NOTHING


def test_a_push_by_somebody_elses_bot_counts() -> None:
    assert job("push", push(sender={"login": "github-merge-queue[bot]", "type": "Bot"})).kind == "push"


def test_installations() -> None:
    names = [{"full_name": "octo/a"}, {"full_name": "octo/b"}, {"full_name": "octo/a"}, {"name": "?"}, 7]
    given = payload(action="created", repositories=names)
    jobs = read_event("installation", given).jobs
    assert [(each.kind, each.repository, each.installation, each.urgency) for each in jobs] == [
        ("installed", "octo/a", 42, 2),
        ("installed", "octo/b", 42, 2),
    ]
    for action in ("deleted", "suspend"):
        assert read_event("installation", payload(action=action)) == Asked(left_installation=42)
    changed = payload(action="added", repositories_added=names[:1], repositories_removed=names[1:2])
    asked = read_event("installation_repositories", changed)
    assert ([each.repository for each in asked.jobs], asked.left) == (["octo/a"], {"octo/b"})


def test_own_pull_requests_that_are_closed() -> None:
    assert job("pull_request", closed()).details == {"number": 12, "branch": "tc-migrate/smtc", "merged": False}
    assert read_event("pull_request", closed(branch="feature")) == NOTHING
    assert read_event("pull_request", closed(head="mallory/train")) == NOTHING
    assert read_event("pull_request", {**closed(), "action": "opened"}) == NOTHING


def test_checks_wanted_again() -> None:
    given = payload(action="rerequested", check_run={"name": "tc-migrate", "head_sha": COMMIT})
    assert job("check_run", given).details == {"commit": COMMIT, "button": "", "run": None}
    assert read_event("check_run", {**given, "action": "completed"}) == NOTHING
    assert read_event("check_run", {**given, "check_run": {"name": "lint", "head_sha": COMMIT}}) == NOTHING
    pressed = {**given, "action": "requested_action", "requested_action": {"identifier": "open-pr"}}
    assert job("check_run", pressed).details["button"] == "open-pr"
    pressed["requested_action"] = {"identifier": "\ud800"}
    assert read_event("check_run", pressed) == NOTHING
    suite = payload(action="rerequested", check_suite={"head_sha": COMMIT})
    assert job("check_suite", suite).kind == "check"


def test_a_command() -> None:
    found = job("issue_comment", comment("/tc-migrate explain TC101"))
    assert found.details == {
        "command": "explain", "argument": "TC101", "problem": "", "number": 12, "comment": 99, "is_pull_request": True,
    }  # fmt: skip
    assert (found.urgency, found.sender) == (0, "alice")


@pytest.mark.parametrize("action", ["edited", "deleted"])
def test_only_new_comments_command(action: str) -> None:
    assert read_event("issue_comment", {**comment("/tc-migrate run"), "action": action}) == NOTHING


def test_bots_do_not_command() -> None:
    given = comment("/tc-migrate run")
    assert read_event("issue_comment", {**given, "sender": BOT}) == NOTHING
    assert read_event("issue_comment", {**given, "sender": {"login": "other[bot]", "type": "Bot"}}) == NOTHING
    assert read_event("issue_comment", {**given, "comment": {**given["comment"], "user": BOT}}) == NOTHING
    assert (
        read_event("issue_comment", {**given, "sender": {"login": "Xla-Bot[bot]", "type": "User"}}, "xla-bot")
        == NOTHING
    )


@pytest.mark.parametrize("event", ["ping", "star", "workflow_run", "", "__class__"])
def test_other_events_ask_for_nothing(event: str) -> None:
    assert read_event(event, payload(zen="Design for failure.")) == NOTHING


def all_payloads() -> Iterator[tuple[str, Any]]:
    yield from [("push", push()), ("issue_comment", comment("/tc-migrate run")), ("pull_request", closed())]
    names = [{"full_name": "octo/a"}]
    yield "installation", payload(action="created", repositories=names)
    yield "installation_repositories", payload(action="added", repositories_added=names, repositories_removed=names)
    yield "check_run", payload(action="rerequested", check_run={"name": "tc-migrate", "head_sha": COMMIT})
    yield "check_suite", payload(action="rerequested", check_suite={"head_sha": COMMIT})


@pytest.mark.parametrize(
    ("event", "given"), list(all_payloads()), ids=lambda each: each if isinstance(each, str) else ""
)
def test_whatever_stands_at_whatever_place_nothing_is_raised(event: str, given: dict[str, Any]) -> None:
    for other in (None, 0, -1, 2**70, 1.5, True, "", "\ud800", "x" * 10_000, [], [[]], {}, {"id": {}}):
        for changed in replaced(given, other):
            read_event(event, changed)
        read_event(event, other)


def replaced(value: Any, other: Any) -> Iterator[Any]:
    """The value with `other` at each of its places."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield {**value, name: other}
            yield {key: each for key, each in value.items() if key != name}
            yield from ({**value, name: each} for each in replaced(inner, other))


@pytest.mark.skipif(not EXAMPLES, reason="WEBHOOK_EXAMPLES is not set")
def test_the_official_examples() -> None:
    """Each is read under its own event and, as a stranger might send it, under each of the others."""
    read, kinds = 0, set()
    for path in sorted(Path(EXAMPLES).rglob("index.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            for example in entry["examples"]:
                asked = read_event(entry["name"], example)
                kinds |= {each.kind for each in asked.jobs}
                kinds |= {"left"} if asked.left or asked.left_installation else set()
                for event in EVENTS:
                    read_event(event, example)
                read += 1
    assert read >= 329
    assert kinds == {"push", "installed", "left"}


# --- commands -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/tc-migrate run", Command("run")),
        ("  \r\n/tc-migrate   Check  \r\nthank you", Command("check")),
        ("/tc-migrate", Command("help")),
        ("/tc-migrate explain TC203", Command("explain", "TC203")),
        ("/tc-migrate ignore src/a.py", Command("ignore", "src/a.py")),
        ("/tc-migrate drop src/a.py:12", Command("drop", "src/a.py:12")),
        ("/tc-migrate rebase 0123ABC", Command("rebase", "0123abc")),
        (
            "/tc-migrate rebase main",
            Command(
                "help", problem="`rebase` takes nothing after it, or the last commit of the branch that may be dropped"
            ),
        ),
        ("> what they said\n\n/tc-migrate rebase", Command("rebase")),
        ("```sh\n/tc-migrate close\n```\n/tc-migrate suggest", Command("suggest")),
        ("~~~\n```\n/tc-migrate close\n~~~\n/tc-migrate suggest", Command("suggest")),
        ("<!-- a form -->\n/tc-migrate close", Command("close")),
        ("<!--\n/tc-migrate run\n-->", None),
        ("> /tc-migrate run", None),
        ("> somebody\n/tc-migrate run", None),
        ("> somebody\u2028/tc-migrate run", None),
        ("> somebody\x0b/tc-migrate run", None),
        ("    /tc-migrate run", None),
        ("\t/tc-migrate run", None),
        ("```\n/tc-migrate run", None),
        ("````\n```\n/tc-migrate run\n````", None),
        ("Please type `/tc-migrate run`", None),
        ("Thank you.\n/tc-migrate run", None),
        ("/tc-migrated run", None),
        ("/tc-migrate-run", None),
        ("@tc-migrate run", None),
        ("", None),
        ("/tc-migrate run " + "x" * 1_000, None),
        (" " * 70_000 + "/tc-migrate run", None),
    ],
)
def test_commands(text: str, command: Command | None) -> None:
    assert read_command(text) == command


@pytest.mark.parametrize(
    "text", ["fly", "run now", "explain", "explain a b", "ignore", "ignore " + "x" * 201, "run\u200b"]
)
def test_what_is_not_understood_is_answered_with_help(text: str) -> None:
    found = read_command(f"/tc-migrate {text}")
    assert found is not None
    assert (found.word, bool(found.problem), found.argument) == ("help", True, "")
    assert text.split()[-1] not in found.problem or text == "explain" or text == "ignore"


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("> `~\n\r\t/tc-migraun<!-\u2028\ud800"), max_size=200))
def test_any_comment_is_read(text: str) -> None:
    read_command(text)
    read_command(f"```\n{text.replace('`', '')}\n/tc-migrate run")


def test_a_comment_made_to_take_long() -> None:
    for text in ("<!--" * 16_000, "`" * 65_000 + "x`", "> \n" * 21_000, "```\n" * 16_000, "/tc-migrate " * 5_000):
        read_command(text)


# --- sent again, and by whom --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("days", "is_taken"), [(0, True), (3, True), (8, False), (400, False)])
def test_a_comment_of_last_week_asks_for_nothing(days: int, is_taken: bool) -> None:
    payload = comment("/tc-migrate rebase")
    written = datetime.now(timezone.utc) - timedelta(days=days)
    payload["comment"]["created_at"] = written.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert bool(read_event("issue_comment", payload).jobs) is is_taken


@pytest.mark.parametrize(("association", "urgency"), [("OWNER", 0), ("COLLABORATOR", 0), ("NONE", 1), ("?", 1)])
def test_whom_nobody_knows_there_waits_for_the_others(association: str, urgency: int) -> None:
    payload = comment("/tc-migrate run")
    payload["comment"]["author_association"] = association
    (job,) = read_event("issue_comment", payload).jobs
    assert job.urgency == urgency
