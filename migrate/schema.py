"""The JSON Schema of `[tool.tc-migrate]`, for editors and for `validate-pyproject`.

`validate-pyproject` finds it by the entry point `validate_pyproject.tool_schema`. That it says the same as the loader
in `migrate.config` is a test.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def config_schema(tool: str = "tc-migrate") -> dict[str, Any]:
    """The schema of our table; `tool` is the table's name, as `validate-pyproject` gives it."""
    text = files("migrate").joinpath("config.schema.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
