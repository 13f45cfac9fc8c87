"""The whole App, as `tc-migrate serve` runs it, while it is killed. More of it: `python -m tests.bot.load --real`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bot.load_real import run


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_each_repository_has_its_one_right_pull_request_in_the_end(tmp_path: Path) -> None:
    figures = run(tmp_path, repositories=3, deliveries=15, kills=4, ends=1, seconds=10)
    assert figures.is_right, f"{figures}\n{(tmp_path / 'log').read_text()[-10_000:]}"
    assert figures.kills >= 1  # one that finds nobody to kill is none
    assert figures.ends == 1
    assert figures.jobs >= 3
