"""The sub-commands `serve` and `worker`: the pull-request bot as a GitHub App."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from migrate.cli_forge import Failed, missing_extra, read_address, web_of

if TYPE_CHECKING:
    from migrate.bot.serving import Deployment

EPILOG = """
\b
Secrets come from files that only you can read (chmod 600), or from variables:
  TC_MIGRATE_PRIVATE_KEY         the App's private key, PEM text
  TC_MIGRATE_WEBHOOK_SECRET      the secret of the webhook; while one replaces
                                 another both, with a comma between them
  TC_MIGRATE_DASHBOARD_PASSWORD  for the page at / and for /metrics; without
                                 one these are not served

\b
Exit codes:
  0  ended by SIGTERM or Ctrl-C; --check-config: all is well
  1  --check-config: the App lacks a permission or an event
  2  it cannot be started like this
"""
_Command = Callable[..., None]


def _option(name: str, help: str, **more: Any) -> Callable[[_Command], _Command]:
    """An option that may also be given as a variable: `--app-id` as TC_MIGRATE_APP_ID."""
    variable = more.pop("envvar", f"TC_MIGRATE_{name.strip('-').replace('-', '_').upper()}")
    return click.option(name, envvar=variable, show_envvar=True, help=help, **more)


def _secret(name: str, help: str) -> Callable[[_Command], _Command]:
    variable = f"TC_MIGRATE_{name.strip('-').replace('-', '_').upper()}_FILE"
    return _option(name, help, envvar=variable, metavar="FILE", type=click.Path(dir_okay=False))


def _common(command: _Command) -> _Command:
    """The options of both."""
    for option in reversed((
        _option("--app-id", "The App's number.", type=click.IntRange(1), required=True),
        _secret("--private-key", "The App's private key."),
        _option("--queue", "What all processes share.", metavar="FILE", default="tc-migrate.db", show_default=True,
                type=click.Path(dir_okay=False)),
        _option("--scratch", "Folder for what is fetched; nobody else's.  [default: one in the temporary folder]",
                metavar="FOLDER", type=click.Path(file_okay=False)),
        _option("--api-url", "GitHub Enterprise Server: https://HOST/api/v3.", metavar="URL",
                default="https://api.github.com", show_default=True),
        _option("--web-url", "Its address for people and git.  [default: by --api-url]", metavar="URL"),
        _option("--jobs", "Processes that migrate the scripts of one repository.", type=click.IntRange(1), default=1,
                show_default=True),
        _option("--log-level", "How much is said on standard error.", default="info", show_default=True,
                type=click.Choice(["debug", "info", "warning", "error"])),
    )):  # fmt: skip
        command = option(command)
    return command


@click.command(
    short_help="Serve the pull-request bot: a GitHub App.",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@_common
@_secret("--webhook-secret", "The secret of the webhook; one a line when there are several.")
@_secret("--dashboard-password", "For the page at / and for /metrics.")
@_option("--host", "Where to listen.", default="127.0.0.1", show_default=True)
@_option("--port", "Where to listen.", default=8080, show_default=True, type=click.IntRange(0, 65_535))
@_option("--workers", "Jobs beside each other.", default=2, show_default=True, type=click.IntRange(0, 64))
@click.option("--check-config", is_flag=True, help="Ask GitHub whether the App is as it has to be, and end.")
@click.pass_context
def serve(ctx: click.Context, /, check_config: bool, **options: Any) -> None:
    """Receive webhooks, do the work, and look for what was missed.

    Starts a receiver, worker processes and a sweeper, and starts again what dies. Ends in order at SIGTERM and Ctrl-C:
    a job that is not done is given back, and done when the App runs again. docs/bot.md tells how to install an App.
    """

    def begin(deployment: Deployment) -> None:
        from migrate.bot.serving import serve as begin_serving

        if check_config:
            ctx.exit(_check(deployment))
        begin_serving(deployment)

    _start(options, begin, receives=True)


@click.command(
    short_help="One more worker for `tc-migrate serve`.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@_common
def worker(**options: Any) -> None:
    """Do jobs of the queue of a `tc-migrate serve` on the same machine, one at a time."""

    def begin(deployment: Deployment) -> None:
        from migrate.bot.serving import work

        work(deployment)

    _start(options, begin, receives=False)


def _start(options: dict[str, Any], begin: Callable[[Deployment], None], *, receives: bool) -> None:
    try:
        from migrate.bot.serving import start_log
    except ModuleNotFoundError as error:
        raise missing_extra(error) from error
    from migrate.migration import MigrateError

    start_log(options["log_level"])
    try:
        begin(_read(options, receives))
    except MigrateError as error:
        raise Failed(str(error)) from error


def _read(options: dict[str, Any], receives: bool) -> Deployment:
    """What the options and the environment say. The environment holds no secret any more after this."""
    import os
    import tempfile
    from pathlib import Path

    from migrate.bot.credentials import Files, take_credentials
    from migrate.bot.serving import Deployment

    places = (options[name] for name in ("private_key", "webhook_secret", "dashboard_password") if name in options)
    api = read_address(options["api_url"])
    files = Files(*(Path(place) if place else None for place in places))
    return Deployment(
        number=options["app_id"],
        credentials=take_credentials(files, os.environ, receives=receives),
        queue=Path(options["queue"]).absolute(),
        scratch=Path(options["scratch"] or f"{tempfile.gettempdir()}/tc-migrate-{os.getuid()}").absolute(),
        api=api,
        web=read_address(options["web_url"] or "") or web_of(api),
        jobs=options["jobs"],
        **{name: options[name] for name in ("host", "port", "workers") if name in options},
    )


def _check(deployment: Deployment) -> int:
    found = deployment.app.look_up()
    click.echo(f"App: {found.slug} of {found.owner}, number {deployment.number}, at {deployment.api}")
    click.echo("Permissions: " + ", ".join(f"{name}: {level}" for name, level in sorted(found.permissions.items())))
    click.echo("Events: " + (", ".join(sorted(found.events)) or "none"))
    missing = found.missing()
    click.echo("Missing: " + (", ".join(missing) or "nothing"))
    return int(bool(missing))
