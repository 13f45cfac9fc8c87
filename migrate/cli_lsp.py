"""The sub-command `lsp`: a language server on standard input and output."""

from __future__ import annotations

import click

from migrate.cli_completion import complete_target


@click.command(short_help="Serve an editor: notes as diagnostics, hunks as quick fixes.")
@click.option(
    "--target", metavar="TARGET", shell_complete=complete_target, help="As for `tc-migrate`; wins over pyproject.toml."
)
@click.option("--stdio", is_flag=True, help="Accepted, as editors give it: there is no other way.")
def lsp(target: str | None, stdio: bool) -> None:
    """Speak the Language Server Protocol on standard input and output.

    An editor starts this. Notes and edits are shown as diagnostics; quick fixes take one hunk with what it needs, or
    migrate the file. Nothing is written: the editor makes the edits.
    """
    from migrate.config import Config, ConfigError, settle

    try:
        settle(Config(), target=target)
        from migrate.lsp import make_server
    except ConfigError as error:
        raise click.UsageError(str(error)) from error
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise click.ClickException("pygls is not installed: pip install 'tc-migrate[lsp]'") from error
    make_server(target).start_io()
