"""Starts the training processes of a script that spawns them."""

from __future__ import annotations

import tempfile
from typing import Any

import torch.multiprocessing

from . import world


def start(function: Any, arguments: Any, join: bool, daemon: bool, start_method: str) -> Any:
    """Run `function(rank, *arguments)` in one new process for each device."""
    meeting_place = tempfile.mkdtemp(prefix="stand-in-") + "/store"
    given = (function, arguments, world.devices, meeting_place)
    return torch.multiprocessing.start_processes(
        work, given, nprocs=world.devices, join=join, daemon=daemon, start_method=start_method
    )


def work(rank: int, function: Any, arguments: Any, size: int, meeting_place: str) -> None:
    """What a new process does first."""
    world.become(rank, size, meeting_place)
    function(rank, *arguments)
