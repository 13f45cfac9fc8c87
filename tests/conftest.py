"""Options of the test suite."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes is up to the machine and what else it does.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


# A shell that starts the tests in the background has them ignore Ctrl-C, and with them all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bless", action="store_true", help="write the goldens as the tool makes them now; then read the diff"
    )


@pytest.fixture(scope="session")
def blessing(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--bless"))


@pytest.fixture(scope="session", autouse=True)
def _cache_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests neither use nor fill the cache of who runs them."""
    os.environ["TC_MIGRATE_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
