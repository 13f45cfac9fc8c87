"""The real SDK, for tests marked `real_sagemaker`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from migrate.smoke.environments import find_built, provision_recipe
from tests.sagemaker.environment import RECIPE

Answers = dict[str, dict[str, Any]]
Ask = Callable[[dict[str, str]], Answers]


@pytest.fixture(scope="session")
def sdk() -> Path:
    """The interpreter of the SDK's environment. With TC_MIGRATE_REAL_SAGEMAKER set, as in CI, it is made when it is
    missing, and not having it fails."""
    required = bool(os.environ.get("TC_MIGRATE_REAL_SAGEMAKER"))
    environment = provision_recipe(RECIPE) if required else find_built(RECIPE)
    if environment is None:
        pytest.skip("no environment with the SageMaker SDK: make it with python -m tests.sagemaker.environment")
    return environment.python


@pytest.fixture(scope="session")
def ask(sdk: Path) -> Ask:
    """Gives what the SDK makes of launchers, by name."""

    def answers(launchers: dict[str, str]) -> Answers:
        words = [str(sdk), str(Path(__file__).with_name("sdk.py"))]
        ended = subprocess.run(words, input=json.dumps(launchers), capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
        found: Answers = json.loads(ended.stdout)
        return found

    return answers
