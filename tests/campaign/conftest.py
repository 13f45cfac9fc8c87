"""A forge with several repositories of one account, and the command run as a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.hub import Hub, serve
from tests.campaign.account import Account


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A forge; the test fails when anything that it was asked or has answered is not as GitHub describes it."""
    with serve(tmp_path / "hub") as server:
        yield server
        assert server.breaches == []


@pytest.fixture
def account(hub: Hub, tmp_path: Path) -> Account:
    """Three repositories, in each of which there is something to do."""
    return Account(hub, tmp_path, 3)
