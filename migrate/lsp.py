"""A language server: an editor shows the notes and edits of a script, and takes hunks as quick fixes.

`tc-migrate lsp` speaks over standard input and output; `pip install tc-migrate[lsp]` brings pygls. Settings are those
of the nearest pyproject.toml. A script is read with the files it imports, as on the command line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from migrate import __version__
from migrate.lsp_actions import FIX_ALL, FIX_EXACT, SOURCE, Actions, diagnostics, hover
from migrate.lsp_work import Worker
from migrate.migration import MigrateError, Migration

PAUSE = 0.4
"""Seconds without a key stroke before a changed script is read again."""
KINDS = [types.CodeActionKind.QuickFix, FIX_ALL, FIX_EXACT]


@dataclass
class Open:
    """A text of an open script, and what comes of it."""

    text: str
    migration: asyncio.Task[Migration | None]
    _actions: asyncio.Task[Actions] | None = None

    def actions(self, uri: str, migration: Migration) -> asyncio.Task[Actions]:
        """What can be done about its lines, worked out once for this text and beside the loop."""
        if self._actions is None:
            self._actions = asyncio.create_task(asyncio.to_thread(Actions, uri, migration))
        return self._actions


class Server(LanguageServer):
    """The server and the migration of each open script."""

    def __init__(self, target: str | None = None) -> None:
        super().__init__(SOURCE, __version__)
        self.worker = Worker(target)
        self._open: dict[str, Open] = {}
        self._publishing: dict[str, asyncio.Task[None]] = {}
        self._trouble = ""

    def opened(self, uri: str) -> Open:
        """An open script as it is now. What was worked on for an older text of it is broken off."""
        document = self.workspace.get_text_document(uri)
        known = self._open.get(uri)
        if known is None or known.text != document.source:
            self.drop(uri)
            work = asyncio.create_task(self.worker.examine(Path(document.path), document.source))
            known = self._open[uri] = Open(document.source, work)
        return known

    async def migration(self, uri: str) -> tuple[Open, Migration | None]:
        """The migration of an open script as it is now; None for one that is excluded. Raises MigrateError."""
        known = self.opened(uri)
        return known, await asyncio.shield(known.migration)  # who asks may lose interest: others have not

    def drop(self, uri: str) -> None:
        """Break off what is worked on for a script."""
        known = self._open.pop(uri, None)
        if known is not None:
            known.migration.cancel()

    def publish(self, uri: str, pause: float = 0.0) -> None:
        """Show what is to be said about a script, after a pause, instead of what was to be shown before."""
        if uri in self._publishing:
            self._publishing.pop(uri).cancel()
        if pause:
            self.drop(uri)
        self._publishing[uri] = asyncio.create_task(self._publish(uri, pause))

    async def _publish(self, uri: str, pause: float) -> None:
        """A wrong configuration is said once, as a message."""
        await asyncio.sleep(pause)
        version = self.workspace.get_text_document(uri).version
        try:
            known, migration = await self.migration(uri)
        except MigrateError as error:
            if str(error) != self._trouble:
                self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"{SOURCE}: {error}"))
            self._trouble = str(error)
            return
        self._trouble = ""
        shown = diagnostics(migration) if migration is not None else []
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown, version))
        if migration is not None:
            known.actions(uri, migration)  # before somebody asks

    def close(self, uri: str) -> None:
        """Forget a script and take its diagnostics away."""
        if uri in self._publishing:
            self._publishing.pop(uri).cancel()
        self.drop(uri)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def refresh(self) -> None:
        """What was found may be different now: another file of the project, or the configuration, was saved."""
        for uri in [*self._open]:
            self.drop(uri)
            self.publish(uri)


def make_server(target: str | None = None) -> Server:
    """The server with what it answers. `target` is stronger than the configuration's."""
    server = Server(target)

    @server.feature(types.INITIALIZED)
    async def ready(params: types.InitializedParams) -> None:
        await asyncio.to_thread(server.worker.start)  # while the editor opens its first script

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.publish(params.text_document.uri, PAUSE)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.refresh()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)

    @server.feature(types.SHUTDOWN)
    async def ended(params: None) -> None:
        server.worker.stop()

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(params: types.HoverParams) -> types.Hover | None:
        try:
            _, migration = await server.migration(params.text_document.uri)
        except MigrateError:
            return None
        return hover(migration, params.position.line + 1) if migration is not None else None

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=KINDS))
    async def asked(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, only = params.text_document.uri, params.context.only
        try:
            known, migration = await server.migration(uri)
        except MigrateError:
            return []  # said when it was published
        if migration is None:
            return []
        found = (await asyncio.shield(known.actions(uri, migration))).at(params.range)
        return found if only is None else [each for each in found if _is_asked(each.kind, only)]

    return server


def _is_asked(kind: str | None, only: Sequence[str]) -> bool:
    """A kind asked for stands for those below it too: `source` for `source.fixAll`."""
    return any(f"{_text(kind)}.".startswith(f"{_text(wanted)}.") for wanted in only)


def _text(kind: str | None) -> str:
    return str(kind.value if isinstance(kind, types.CodeActionKind) else kind)
