"""Environments with a real torch_xla, for tests marked `real_xla`."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from migrate.smoke.environments import Environment, provision


@pytest.fixture(scope="session")
def environment() -> Callable[[str], Environment]:
    """Gives the environment for a torch_xla version, built when it is missing. These tests take a quarter of an hour,
    so they run only where TC_MIGRATE_REAL_XLA is set, as in CI, and there a missing environment fails."""

    def ready(version: str) -> Environment:
        if not os.environ.get("TC_MIGRATE_REAL_XLA"):
            pytest.skip("set TC_MIGRATE_REAL_XLA=1 to run scripts on a real torch_xla")
        return provision(version)

    return ready
