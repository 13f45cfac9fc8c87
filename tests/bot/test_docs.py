"""docs/bot.md says what is: the App to register, the settings, the commands, the figures, the tests it names."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from migrate.bot.commands import WORDS
from migrate.bot.queue import Queue
from migrate.bot.receiver import Door, make_app
from migrate.bot.settings import parse_settings
from migrate.cli import main
from migrate.forge.tokens import EVENTS, PUBLISH
from tests.bot.receivers import SECRET, ask, deliver, serving
from tests.bot.test_receiver import LOGIN, PASSWORD

FOLDER = Path(__file__).parent
TEXT = (FOLDER.parents[1] / "docs" / "bot.md").read_text(encoding="utf-8")


def test_the_app_that_is_registered_has_what_the_bot_needs() -> None:
    (address,) = re.findall(r"^https://github.com/settings/apps/new\?\S+$", TEXT, re.MULTILINE)
    given = parse_qs(urlsplit(address).query)
    assert frozenset(given.pop("events[]")) == EVENTS
    assert {name: given[name] for name in PUBLISH} == {name: [level] for name, level in PUBLISH.items()}
    assert set(given) - PUBLISH.keys() == {"name", "url", "public", "webhook_active", "webhook_url"}


def test_the_settings_are_settings() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    settings = parse_settings(text.encode())
    assert (settings.mode, settings.target.name) == ("check", "smtc")


def test_every_command_is_there() -> None:
    assert sorted(set(re.findall(r"^\| `/tc-migrate (\w+)", TEXT, re.MULTILINE))) == sorted(WORDS)


def test_every_figure_is_there(tmp_path: Path) -> None:
    named = re.findall(r"^\| `(tc_migrate_\w+)", TEXT, re.MULTILINE)
    with serving(make_app(Queue(tmp_path / "queue.db"), Door([SECRET], password=PASSWORD))) as port:
        deliver(port, "one", "ping", {})
        said = ask(port, "GET", "/metrics", headers=LOGIN).body
    assert len(set(named)) == 4
    assert [name for name in named if f"\n{name}" not in said] == []


def test_variables_are_those_of_the_options() -> None:
    known = {
        f"{each.envvar}" for command in ("serve", "worker") for each in main.commands[command].params if each.envvar
    }
    known |= {name.removesuffix("_FILE") for name in known}
    assert set(re.findall(r"TC_MIGRATE_[A-Z_]+[A-Z]", TEXT)) <= known


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(test_\w+)`", TEXT))))
def test_the_tests_that_are_named_are_there(name: str) -> None:
    assert (FOLDER / f"{name}.py").exists()


def test_pictures_and_pages_are_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    assert [link for link in links if not (FOLDER.parents[1] / "docs" / link).exists()] == []
