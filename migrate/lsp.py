"""A language server: an editor shows the notes and edits of a script, and takes hunks as quick fixes.

`tc-migrate lsp` speaks over standard input and output; `pip install tc-migrate[lsp]` brings pygls. Settings are those
of the nearest pyproject.toml. A script is read with the files it imports, as on the command line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from codemods.kit.links import ALONE
from migrate import __version__
from migrate.config import load_config, settle
from migrate.discover import project_folder
from migrate.files import read_text
from migrate.judging import judged, wants
from migrate.lsp_actions import FIX_ALL, SOURCE, actions, diagnostics
from migrate.migration import MigrateError, Migration, Status
from migrate.pipeline import migrate
from migrate.project import link
from migrate.reach import reach

MOST_JUDGED = 4_000
"""Lines of a program that is judged while somebody types: a larger one would keep them waiting."""
PAUSE = 0.4
"""Seconds without a key stroke before a changed script is read again."""
KINDS = [types.CodeActionKind.QuickFix, FIX_ALL]


class Server(LanguageServer):
    """The server and the migration of each open script."""

    def __init__(self, target: str | None = None) -> None:
        super().__init__(SOURCE, __version__)
        self.target = target
        self._known: dict[str, Migration] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._trouble = ""

    def migration(self, uri: str) -> Migration | None:
        """The migration of an open script as it is now; None for one that is excluded. Raises MigrateError."""
        document = self.workspace.get_text_document(uri)
        known = self._known.get(uri)
        if known is not None and known.source == document.source:
            return known
        path = Path(document.path)
        config = load_config(path.parent)
        if config.excludes(path):
            return None
        config.use_models()
        target, selection = settle(config, target=self.target, path=path)
        name, texts = _program(path, document.source)
        linked = link(texts) if len(texts) > 1 else None

        def migrated(each: str, shown: str) -> Migration:
            links = linked.links(each) if linked is not None else ALONE
            return migrate(texts[each], path=shown, target=target, select=selection, links=links)

        found = migrated(name, document.path)
        if config.verify and wants(selection) and sum(text.count("\n") for text in texts.values()) <= MOST_JUDGED:
            others = {each: migrated(each, each) for each in texts if each != name}
            found = judged({name: found, **others}, target, selection)[name]
        self._known[uri] = found
        return found

    def publish(self, uri: str) -> None:
        """Show what is to be said about a script; a wrong configuration is said once, as a message."""
        self.wait(uri)
        try:
            migration = self.migration(uri)
        except MigrateError as error:
            if str(error) != self._trouble:
                self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"{SOURCE}: {error}"))
            self._trouble = str(error)
            return
        self._trouble = ""
        shown = diagnostics(migration) if migration is not None else []
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown))

    def wait(self, uri: str, seconds: float | None = None) -> None:
        """Publish after a pause, instead of what was waited for; without `seconds`, wait no longer."""
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()
        if seconds is not None:
            self._waiting[uri] = asyncio.get_running_loop().call_later(seconds, self.publish, uri)

    def close(self, uri: str) -> None:
        """Forget a script and take its diagnostics away."""
        self.wait(uri)
        self._known.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def forget(self) -> None:
        """What was found may be different now: another file, or the configuration, was saved."""
        self._known.clear()


def make_server(target: str | None = None) -> Server:
    """The server with what it answers. `target` is stronger than the configuration's."""
    server = Server(target)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.wait(params.text_document.uri, PAUSE)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.forget()
        server.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=KINDS))
    async def asked(params: types.CodeActionParams) -> list[types.CodeAction]:
        try:
            migration = server.migration(params.text_document.uri)
        except MigrateError:
            return []  # said when it was published
        if migration is None or migration.status is not Status.MIGRATED:
            return []
        found = actions(params.text_document.uri, migration, params.range)
        only = params.context.only
        return found if only is None else [each for each in found if _is_asked(each.kind, only)]

    return server


def _is_asked(kind: str | None, only: Sequence[str]) -> bool:
    """A kind asked for stands for those below it too: `source` for `source.fixAll`."""
    return any(f"{_text(kind)}.".startswith(f"{_text(wanted)}.") for wanted in only)


def _text(kind: str | None) -> str:
    return str(kind.value if isinstance(kind, types.CodeActionKind) else kind)


def _program(path: Path, text: str) -> tuple[str, dict[str, str]]:
    """What a script is called in its project, and its text and that of the files it imports by such names. Its own text
    is the editor's, not the disk's."""
    if not path.is_file():
        return path.name, {path.name: text}
    top = project_folder(path.resolve())
    name = path.resolve().relative_to(top).as_posix()
    return name, reach(name, lambda other: text if other == name else read_text(top / other))
