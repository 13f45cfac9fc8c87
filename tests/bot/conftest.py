"""The hub and a repository there, for each test anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.bot import redaction
from tests.bot.app_site import AppSite
from tests.bot.hub import Hub, serve
from tests.bot.site import Site


@pytest.fixture(autouse=True)
def nothing_concealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test conceals is nothing to the others."""
    monkeypatch.setattr(redaction, "_concealed", [])


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A forge; the test fails when anything that it was asked or has answered is not as GitHub describes it."""
    with serve(tmp_path / "hub") as server:
        yield server
        assert server.breaches == []


@pytest.fixture
def site(hub: Hub, tmp_path: Path) -> Site:
    """A repository with one script."""
    return Site(hub, tmp_path)


@pytest.fixture
def app(hub: Hub, tmp_path: Path) -> AppSite:
    """A repository where the App is installed, without a commit."""
    return AppSite(hub, tmp_path)
