"""Environments with a real torch_xla, for tests marked `real_xla`."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from migrate.smoke.environments import Environment, find, provision


@pytest.fixture(scope="session")
def environment() -> Callable[[str], Environment]:
    """Gives the environment for a torch_xla version. Where TC_MIGRATE_REAL_XLA is set (in CI) it must be there, or is
    built, or the test fails; elsewhere a missing one skips the test."""

    def ready(version: str) -> Environment:
        if os.environ.get("TC_MIGRATE_REAL_XLA"):
            return provision(version)
        found = find(version)
        if found is None:
            pytest.skip(f"no torch_xla {version}: run python -m migrate.smoke.environments {version}")
        return found

    return ready
