"""What the language server has worked out for it, in a process of its own: reading, migrating and judging a script.

The process can be ended in the middle: a script that is typed on is not worth going on with. Another is there at once,
forked from one in which all is loaded.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from codemods.kit.links import ALONE
from migrate.config import load_config, settle
from migrate.discover import project_folder
from migrate.files import read_text
from migrate.judging import judged, wants
from migrate.migration import MigrateError, Migration
from migrate.pipeline import migrate
from migrate.project import link
from migrate.reach import reach

MOST_JUDGED = 4_000
"""Lines of a program that is judged while somebody types: a larger one would keep them waiting."""
_WARM = "import torch\nmodel = torch.nn.Linear(3, 3).cuda()\nfor x in [1]:\n    model(x).backward()\n"


def examine(path: Path, text: str, target: str | None) -> Migration | None:
    """The migration of a script with this text, read with the files it imports; None for one that is excluded.

    Raises MigrateError for a wrong configuration. `target` is stronger than it.
    """
    config = load_config(path.parent)
    if config.excludes(path):
        return None
    config.use_models()
    chosen, selection = settle(config, target=target, path=path)
    name, texts = _program(path, text)
    linked = link(texts) if len(texts) > 1 else None

    def migrated(each: str, shown: str) -> Migration:
        links = linked.links(each) if linked is not None else ALONE
        return migrate(texts[each], path=shown, target=chosen, select=selection, links=links)

    found = migrated(name, str(path))
    if not (config.verify and wants(selection)) or sum(each.count("\n") for each in texts.values()) > MOST_JUDGED:
        return found
    others = {each: migrated(each, each) for each in texts if each != name}
    return judged({name: found, **others}, chosen, selection)[name]


def _program(path: Path, text: str) -> tuple[str, Mapping[str, str]]:
    """What a script is called in its project, and its text and that of the files it imports by such names. Its own text
    is the editor's, not the disk's."""
    if not path.is_file():
        return path.name, {path.name: text}
    top = project_folder(path.resolve())
    name = path.resolve().relative_to(top).as_posix()
    return name, reach(name, lambda other: text if other == name else read_text(top / other))


class Worker:
    """One script at a time. A task that waits for `examine` may be cancelled: the process ends in that instant."""

    def __init__(self, target: str | None) -> None:
        self._target = target
        self._context: Any = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
        if sys.platform != "win32":
            self._context.set_forkserver_preload([__name__ + "_warm"])
        self._process: BaseProcess | None = None
        self._turn = asyncio.Lock()
        self._wanted = True
        self._starting = threading.Lock()

    def start(self) -> Connection:
        """Have a process at work; what it is asked by."""
        with self._starting:
            if self._process is None:  # one that has died by itself is found out by who asks it
                self._asked, theirs = self._context.Pipe()
                process = self._context.Process(target=_serve, args=(theirs, self._target), daemon=True)
                process.start()
                theirs.close()
                self._process = process
            asked: Connection = self._asked
            return asked

    async def examine(self, path: Path, text: str) -> Migration | None:
        """As `examine`, there. Raises MigrateError, also when the process died of the script."""
        async with self._turn:
            self._wanted = True
            answer = asyncio.ensure_future(asyncio.to_thread(self._ask, path, text))
            try:
                return await asyncio.shield(answer)
            except asyncio.CancelledError:
                self.stop()
                await asyncio.wait([answer])  # one at a time
                answer.exception()  # nobody wants to know
                raise

    def _ask(self, path: Path, text: str) -> Migration | None:
        try:
            asked = self.start()
            if not self._wanted:
                raise EOFError
            asked.send((path, text))
            found = asked.recv()
        except (EOFError, OSError) as error:
            self._process = None
            raise MigrateError(f"reading {path.name} was broken off") from error
        if isinstance(found, str):
            raise MigrateError(found)
        assert found is None or isinstance(found, Migration)
        return found

    def stop(self) -> None:
        """End what is at work."""
        self._wanted = False
        if self._process is not None:
            self._process.kill()
            self._process = None


def _serve(asked: Connection, target: str | None) -> None:
    """Answer until nobody asks. Standard output is the editor's: nothing that is read here may write to it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    while True:
        try:
            path, text = asked.recv()
        except (EOFError, OSError):
            return
        try:
            asked.send(examine(path, text, target))
        except MigrateError as error:
            asked.send(str(error))


def warm() -> None:
    """Load what every script needs, and execute the models of libraries."""
    with suppress(MigrateError):  # a wrong configuration is said of the script that is opened
        examine(Path("warm.py"), _WARM, "torch-xla")
