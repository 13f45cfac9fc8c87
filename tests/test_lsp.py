"""The language server, as an editor talks to it: the real process, over its standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from migrate import migrate
from tests.training_script import TRAIN

SOURCE = TRAIN + "        print(loss.item())\n"
HOUSE = Path(__file__).parent.parent
SECONDS = 60


class Editor(LanguageClient):
    """A client that keeps what the server says."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.messages: asyncio.Queue[str] = asyncio.Queue()
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.published.put_nowait(params))
        self.feature(types.WINDOW_SHOW_MESSAGE)(lambda params: self.messages.put_nowait(params.message))

    async def open(self, path: Path, text: str) -> str:
        """Open a script that is in the editor only; its URI."""
        uri = path.as_uri()
        item = types.TextDocumentItem(uri, "python", 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str, version: int) -> None:
        """Put another text in the place of an open script's."""
        whole = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(version, uri)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    async def shown(self) -> list[types.Diagnostic]:
        """The diagnostics that are published next."""
        return list((await asyncio.wait_for(self.published.get(), SECONDS)).diagnostics)

    async def actions(self, uri: str, first: int, last: int, *only: str) -> list[types.CodeAction]:
        """What may be done about 0-based lines."""
        lines = types.Range(types.Position(first, 0), types.Position(last, 0))
        context = types.CodeActionContext([], only=list(only) or None)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), lines, context)
        return list(await asyncio.wait_for(self.text_document_code_action_async(params), SECONDS) or [])


def talk(conversation: Callable[[Editor], Awaitable[None]], folder: Path, *words: str) -> None:
    """Start the server, shake hands, hold the conversation, and end as an editor does."""

    async def hold() -> None:
        editor = Editor()
        code = "from migrate.cli import main; main(prog_name='tc-migrate')"
        await editor.start_io(sys.executable, "-c", code, "lsp", *words, cwd=str(HOUSE))
        try:
            opening = types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri())
            await asyncio.wait_for(editor.initialize_async(opening), SECONDS)
            editor.initialized(types.InitializedParams())
            await conversation(editor)
            await asyncio.wait_for(editor.shutdown_async(None), SECONDS)
            editor.exit(None)
        except BaseException:
            editor._server.kill()  # type: ignore[union-attr]
            raise
        finally:
            await editor.stop()

    asyncio.run(hold())


def applied(text: str, action: types.CodeAction) -> str:
    """What an editor makes of an action."""
    assert action.edit is not None
    assert action.edit.changes is not None
    (edits,) = action.edit.changes.values()
    lines = [*text.splitlines(keepends=True), ""]
    offsets = [sum(map(len, lines[:number])) for number in range(len(lines))]

    def offset(place: types.Position) -> int:
        return offsets[place.line] + min(place.character, len(lines[place.line].rstrip("\r\n")))

    for edit in sorted(edits, key=lambda edit: -edit.range.start.line):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


def test_shows_notes_and_edits_and_takes_hunks(tmp_path: Path) -> None:
    expected = migrate(SOURCE, target="torch-xla==2.9")

    async def conversation(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "train.py", SOURCE)
        found = {(each.code, each.range.start.line + 1) for each in await editor.shown()}
        assert found == {(each.rule, each.line) for each in (*expected.notes, *expected.changes)}

        (whole,) = await editor.actions(uri, 0, 0, "source.fixAll")
        assert applied(SOURCE, whole) == expected.result

        hunk, *_ = await editor.actions(uri, 2, 2, "quickfix")
        part = applied(SOURCE, hunk)
        assert part not in (SOURCE, expected.result)
        assert "Linear(3, 3).to(device)" in part
        assert "device = torch_xla.device()" in part, "it takes with it what it needs"
        assert "x.cuda()" in part, "and no more"
        compile(part, "part", "exec")

    talk(conversation, tmp_path, "--target", "torch-xla==2.9")


def test_follows_what_is_typed(tmp_path: Path) -> None:
    async def conversation(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "train.py", "import torch\n")
        assert await editor.shown() == []
        editor.change(uri, SOURCE, 2)
        assert await editor.shown()
        assert applied(SOURCE, (await editor.actions(uri, 0, 0, "source.fixAll"))[0]) == migrate(SOURCE).result
        editor.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        assert await editor.shown() == []

    talk(conversation, tmp_path)


def test_reads_the_configuration_and_the_files_imported(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.tc-migrate]\ntarget = 'torch-xla==2.1'\nexclude = ['cpu.py']\n")
    (tmp_path / "steps.py").write_text("def step(loss, optimizer):\n    loss.backward()\n    optimizer.step()\n")
    script = SOURCE.replace("import torch\n", "import torch\nfrom steps import step\n")
    script = script.replace("        loss.backward()\n        optimizer.step()\n", "        step(loss, optimizer)\n")
    (tmp_path / "train.py").write_text(script)

    async def conversation(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "train.py", script)
        await editor.shown()
        result = applied(script, (await editor.actions(uri, 0, 0, "source.fixAll"))[0])
        assert "xm.mark_step()" in result, "the loop of this file executes the step of the other"
        await editor.open(tmp_path / "cpu.py", SOURCE)
        assert await editor.shown() == []

    talk(conversation, tmp_path)


def test_shows_what_the_judge_finds(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tc-migrate]\ntarget = "torch-xla==2.9"\n')
    text = (
        "import torch\nimport torch_xla.core.xla_model as xm\n\nmodel = torch.nn.Linear(3, 3).to(xm.xla_device())\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nfor x in [torch.ones(3), torch.ones(3)]:\n"
        "    model(x.to(xm.xla_device())).sum().backward()\n    xm.optimizer_step(optimizer)\n"
    )

    async def conversation(editor: Editor) -> None:
        await editor.open(tmp_path / "train.py", text)
        assert [(one.code, one.range.start.line) for one in await editor.shown()] == [("TC971", 5)]

    talk(conversation, tmp_path)


def test_says_what_is_wrong_with_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.tc-migrate]\ntraget = 'smtc'\n")

    async def conversation(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "train.py", SOURCE)
        assert "unknown key 'traget'" in await asyncio.wait_for(editor.messages.get(), SECONDS)
        assert await editor.actions(uri, 0, 99) == []

    talk(conversation, tmp_path)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_edits_fit_every_end_of_line(end: str, last: str, tmp_path: Path) -> None:
    script = "# Grüße 🎉\n" + SOURCE.rstrip("\n") + last
    script = script.replace("\n", end)

    async def conversation(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "train.py", script)
        await editor.shown()
        assert applied(script, (await editor.actions(uri, 0, 0, "source.fixAll"))[0]) == migrate(script).result

    talk(conversation, tmp_path)


def test_a_refused_script_is_said_at_its_top(tmp_path: Path) -> None:
    script = "import deepspeed\nimport torch\nengine = deepspeed.initialize(model=torch.nn.Linear(3, 3).cuda())\n"

    async def conversation(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "train.py", script)
        first: Any = [each.message for each in await editor.shown() if each.range.start.line == 0]
        assert any(message.startswith("refused: ") for message in first)
        assert {each.title[:6] for each in await editor.actions(uri, 0, 3)} == {"Ignore"}

    talk(conversation, tmp_path)


def test_makes_what_is_exact_and_leaves_a_line_out(tmp_path: Path) -> None:
    async def conversation(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "train.py", SOURCE)
        await editor.shown()
        (exact,) = await editor.actions(uri, 0, 0, "source.tc-migrate")
        part = applied(SOURCE, exact)
        assert "Linear(3, 3).to(device)" in part
        assert "optimizer.step()" in part
        compile(part, "part", "exec")
        (ignored,) = [each for each in await editor.actions(uri, 2, 2) if "Ignore TC111" in each.title]
        silent = applied(SOURCE, ignored)
        assert silent.splitlines()[2].endswith("# tc-migrate: ignore[TC111]")
        assert "Linear(3, 3).cuda()" in migrate(silent).result

    talk(conversation, tmp_path, "--target", "torch-xla==2.9")


def test_says_why_where_the_pointer_is(tmp_path: Path) -> None:
    async def conversation(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "train.py", SOURCE)
        await editor.shown()
        place = types.TextDocumentIdentifier(uri)
        about = await editor.text_document_hover_async(types.HoverParams(place, types.Position(2, 4)))
        assert isinstance(about, types.Hover)
        assert isinstance(about.contents, types.MarkupContent)
        assert about.contents.value.startswith("**TC111** exact: ")
        assert "tc-migrate explain TC111" in about.contents.value
        assert await editor.text_document_hover_async(types.HoverParams(place, types.Position(0, 0))) is None

    talk(conversation, tmp_path)


def test_what_is_typed_on_is_broken_off(tmp_path: Path) -> None:
    """Each change ends the work on the text before it: the last alone is shown, however long the first takes."""

    async def conversation(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "train.py", SOURCE)
        for number in range(2, 30):
            editor.change(uri, SOURCE + f"# {number}\n", number)
            await editor.actions(uri, 0, 0) if number == 15 else None
        assert (await asyncio.wait_for(editor.published.get(), SECONDS)).version in (15, 29)
        (whole,) = await editor.actions(uri, 0, 0, "source.fixAll")
        assert applied(SOURCE + "# 29\n", whole) == migrate(SOURCE + "# 29\n").result

    talk(conversation, tmp_path)
