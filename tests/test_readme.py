"""The README shows what the tool does."""

from __future__ import annotations

import re
from pathlib import Path

from codemods.kit.targets import SMTC
from migrate.pipeline import migrate

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def test_the_diff_is_what_comes_out() -> None:
    lines = re.search(r"```diff\n(.*?)```", README, re.DOTALL)[1].splitlines()[3:]  # type: ignore[index]
    before = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "+")
    after = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "-")
    assert migrate(before, target=SMTC).result == after


def test_linked_pages_exist() -> None:
    root = Path(__file__).parent.parent
    links = re.findall(r"\]\(([\w/.-]+)\)", README)
    assert links
    assert [link for link in links if not (root / link).exists()] == []
