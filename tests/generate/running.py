"""Programs run on the CPU: originals with a stand-in for CUDA, migrated ones with real torch_xla."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from migrate.smoke import environments
from migrate.smoke.record import Side
from migrate.smoke.variables import child_variables

SECONDS = 300
"""A program that takes longer hangs, however busy the machine is; so does one that computes for a fifth of it."""
VERSION = "2.9"


class Server:
    """A process that has made its imports and runs programs, one after the other."""

    def __init__(self, side: Side, python: Path) -> None:
        self.side = side
        self.home = Path(tempfile.mkdtemp(prefix="generate-"))
        for name in ("home", "tmp", "model"):
            (self.home / name).mkdir()
        variables = child_variables(self.home, self.home, side, "cpu", 1, False, {})
        del variables["TC_MIGRATE_SMOKE"]
        # Its errors go to a file: a pipe that nobody reads would fill up.
        self.errors = (self.home / "errors").open("w")
        self.process = subprocess.Popen(
            [str(python), str(Path(__file__).parent / "server.py"), side.value],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=variables, cwd=self.home, text=True,
        )  # fmt: skip
        self.count = 0
        if self._read() != "ready\n":
            raise RuntimeError((self.home / "errors").read_text())

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def run(self, sources: Mapping[str, str]) -> dict[str, Any]:
        """Run `train.py` of these files; its status (None: it hung), output and what was observed."""
        self.count += 1
        folder = self.home / f"run{self.count}"
        write(folder / "program", sources)
        (folder / "results").mkdir()
        port = str(20_000 + (self.process.pid * 7 + self.count) % 40_000)
        variables = {"MASTER_PORT": port}
        if self.side is Side.CUDA:
            variables |= {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1"}
        job = {"folder": str(folder / "program"), "results": str(folder / "results"), "side": self.side.value,
               "seconds": SECONDS, "variables": variables}  # fmt: skip
        assert self.process.stdin is not None
        print(json.dumps(job), file=self.process.stdin, flush=True)
        answer = json.loads(self._read())
        shutil.rmtree(folder)
        return answer  # type: ignore[no-any-return]

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate()
        self.errors.close()
        shutil.rmtree(self.home, ignore_errors=True)


Replicas = Callable[[Mapping[str, str]], Iterable[tuple[str, str]]]
"""Runs migrated files on several replicas; what is wrong, as classes, each with a sentence."""


class Runner:
    """Both servers, and a place for more: several replicas are asked where one found nothing."""

    def __init__(self, replicas: Replicas | None = None) -> None:
        self.replicas = replicas
        environment = environments.find(VERSION)
        if environment is None:
            raise RuntimeError(f"no environment: python -m migrate.smoke.environments {VERSION}")
        self.original = Server(Side.CUDA, environment.python)
        self.migrated = Server(Side.XLA, environment.python)

    def close(self) -> None:
        """End both."""
        self.original.close()
        self.migrated.close()


def write(folder: Path, sources: Mapping[str, str]) -> None:
    """Put files into a folder."""
    for path, text in sources.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
