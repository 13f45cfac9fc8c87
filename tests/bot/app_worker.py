"""A worker of the App as a process of its own: `python -m tests.bot.app_worker QUEUE CONFIG`."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import IO

from migrate.bot.app_work import AppConfig, AppWork
from migrate.bot.queue import Limits, Queue
from migrate.bot.worker import Worker

ROOT = Path(__file__).parent.parent.parent
LIMITS = Limits(lease=6, backoff=0.1)


def start(queue: Path, config: AppConfig, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Such a process. `CONFIG` is a file, so that the key is on no command line."""
    file = queue.with_suffix(".json")
    file.write_text(json.dumps({name: str(value) if isinstance(value, Path) else value
                                for name, value in asdict(config).items()}))  # fmt: skip
    command = [sys.executable, "-m", "tests.bot.app_worker", str(queue), str(file)]
    return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)


def main() -> None:
    """Until SIGTERM."""
    logging.basicConfig(level=logging.DEBUG)
    queue, file = Path(sys.argv[1]), Path(sys.argv[2])
    given = json.loads(file.read_text())
    config = AppConfig(**{**given, "folder": Path(given["folder"])})
    Worker(Queue(queue, LIMITS), AppWork(config), idle=0.05, grace=5).run()


if __name__ == "__main__":
    main()
