"""The workflows of docs/action.md, as a reader would copy them."""

from __future__ import annotations

import re
from typing import Any

import yaml

from tests.action.conftest import HOUSE

REVISION = "0123456789abcdef0123456789abcdef01234567"


def workflows() -> dict[str, str]:
    """The text of each by the name of its only job."""
    page = (HOUSE / "docs" / "action.md").read_text(encoding="utf-8")
    found = {}
    for block in re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL):
        (name,) = yaml.safe_load(block)["jobs"]
        found[name] = block.replace("OWNER/", "owner/").replace("@COMMIT", f"@{REVISION}")
    return found


def steps(workflow: str) -> list[dict[str, Any]]:
    """The steps of its job."""
    (job,) = yaml.safe_load(workflow)["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


def others(workflow: str) -> dict[str, str]:
    """The actions of other people that it uses, with the revision."""
    used = [step["uses"].split("@") for step in steps(workflow) if "uses" in step]
    return {action: revision for action, revision in used if not action.startswith(("owner/", "actions/checkout"))}
