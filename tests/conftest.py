"""Options of the test suite."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bless", action="store_true", help="write the goldens as the tool makes them now; then read the diff"
    )


@pytest.fixture(scope="session")
def blessing(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--bless"))
