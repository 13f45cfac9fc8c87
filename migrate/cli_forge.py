"""What the commands that talk to a forge have in common: where it is, the token, the author, what is wanted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from migrate.cli_completion import complete_names, complete_target
from migrate.cli_words import split_names

if TYPE_CHECKING:
    from migrate.bot.git.commits import Author
    from migrate.bot.place import Place

F = TypeVar("F", bound=Callable[..., Any])
_API, _WEB = "https://api.github.com", "https://github.com"
_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")


class Failed(click.ClickException):
    """What was asked for cannot be: one line, exit code 2."""

    exit_code = 2


def missing_extra(error: ModuleNotFoundError) -> Exception:
    """What to raise for a package that only the bot needs; a module of our own that is missing is our fault."""
    name = (error.name or "").partition(".")[0]
    if name in ("", "migrate", "codemods"):
        return error
    name = {"git": "GitPython", "github": "PyGithub", "yaml": "PyYAML"}.get(name, name)
    return Failed(f"{name} is not installed: pip install 'tc-migrate[bot]'")


@dataclass(frozen=True)
class Connection:
    """The forge, and what it lets us in with."""

    api: str
    web: str
    token: str = field(repr=False)

    def place(self, repository: str) -> Place:
        """One of its repositories: `owner/name`, or its address as a browser shows it."""
        from migrate.bot.place import Place

        if repository.lower().startswith(f"{self.web}/".lower()):
            repository = repository[len(self.web) + 1 :].rstrip("/").removesuffix(".git")
        return Place(repository, self.token, self.api, self.web)


def request_options(command: F) -> F:
    """The options that say what is wanted; each goes before what a repository's settings say."""
    for option in reversed((
        click.option("--target", metavar="TARGET", shell_complete=complete_target,
                     help="As for `tc-migrate`: smtc, torch-xla==2.9 and others."),
        click.option("--select", multiple=True, metavar="NAMES", callback=split_names, shell_complete=complete_names,
                     help="As for `tc-migrate`."),
        click.option("--ignore", multiple=True, metavar="NAMES", callback=split_names, shell_complete=complete_names,
                     help="As for `tc-migrate`."),
        click.option("--safety", type=click.Choice(["exact", "review"]), help="As for `tc-migrate`."),
        click.option("--label", "labels", multiple=True, metavar="LABEL",
                     help="Of the pull request. Repeatable.  [default: tc-migrate]"),
    )):  # fmt: skip
        command = option(command)
    return command


def connection_options(command: F) -> F:
    """The options that say where the forge is, and how to behave there."""
    for option in reversed((
        click.option("--api-url", envvar="GITHUB_API_URL", metavar="URL",
                     help="GitHub Enterprise Server: https://HOST/api/v3.  [default: GITHUB_API_URL, else github.com]"),
        click.option("--web-url", envvar="GITHUB_SERVER_URL", metavar="URL",
                     help="Its address for people and git.  [default: GITHUB_SERVER_URL, else by --api-url]"),
        click.option("--author", envvar="TC_MIGRATE_AUTHOR", metavar="'NAME <EMAIL>'",
                     help="Of the commits; by it they are told from a person's, so not your own address.  "
                     "[default: TC_MIGRATE_AUTHOR, else tc-migrate or, in a workflow, github-actions[bot]]"),
        click.option("--wait", type=click.FloatRange(0), default=60.0, show_default=True, metavar="MINUTES",
                     help="How long to wait at the forge's rate limits, in all."),
        click.option("--pause", type=click.FloatRange(0), default=1.0, show_default=True, metavar="SECONDS",
                     help="Between two writes; GitHub wants one at least."),
    )):  # fmt: skip
        command = option(command)
    return command


def read_connection(options: dict[str, Any]) -> Connection:
    """Where the forge is, by the options or the environment. Raises UsageError."""
    api, web = (read_address(options[name] or "") for name in ("api_url", "web_url"))
    token = next((os.environ[name].strip() for name in _TOKENS if os.environ.get(name, "").strip()), "")
    return Connection(api or _api_of(web), web or web_of(api), token)


def guard(connection: Connection) -> None:
    """From here on the token is in no text that is kept, and no other process of this user can look for it here."""
    from migrate.bot.child import hide_memory
    from migrate.bot.redaction import conceal

    hide_memory()
    conceal(connection.token)


def read_author(options: dict[str, Any]) -> Author:
    """Whom the commits are by. Raises UsageError."""
    from migrate.bot.git.commits import Author

    given = options["author"]
    if not given:
        is_action = os.environ.get("GITHUB_ACTIONS") == "true"
        return Author(*_ACTIONS) if is_action else Author("tc-migrate", "bot@tc-migrate.invalid")
    match = re.fullmatch(r"\s*(.*?)\s*<([^<>\s]+)>\s*", given)
    try:
        return Author(*match.groups() if match else ("", ""))
    except ValueError as error:
        raise click.UsageError(f"--author {given!r} is not of the form 'NAME <EMAIL>'") from error


_ACTIONS = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")
"""As GitHub shows the commits of workflows."""


def read_wanted(options: dict[str, Any]) -> dict[str, Any]:
    """What `request_options` say, as fields of a `Request`. Raises UsageError."""
    from codemods.kit.rules import Safety
    from codemods.kit.targets import Target
    from migrate.registry import Selection, check_word

    try:
        target = Target.parse(options["target"]) if options["target"] else None
        for name in (*options["select"], *options["ignore"]):
            check_word(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    selection = None
    if options["select"] or options["ignore"] or options["safety"]:
        safety = Safety(options["safety"] or Safety.REVIEW.value)
        selection = Selection(frozenset(options["select"]), frozenset(options["ignore"]), safety)
    return {"target": target, "selection": selection, "labels": options["labels"] or None}


def read_address(text: str) -> str:
    """An address without a slash at the end. Raises UsageError for what is none."""
    address = text.rstrip("/")
    parts = urlsplit(address)
    is_local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if address and (not parts.hostname or parts.scheme not in ("https", *["http"] * is_local) or "@" in parts.netloc):
        raise click.UsageError(f"{text!r} is no https address of a forge")
    return address


def web_of(api: str) -> str:
    return _WEB if api in ("", _API) else api.removesuffix("/api/v3")


def _api_of(web: str) -> str:
    return _API if web in ("", _WEB) else f"{web}/api/v3"
