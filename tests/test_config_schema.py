"""The schema of `[tool.tc-migrate]` and the loader accept and refuse the same."""

from __future__ import annotations

import sys
from pathlib import Path

import jsonschema
import pytest

from codemods.kit.targets import ALL
from migrate.config import KEYS, ConfigError, load_config, settle
from migrate.registry import codemods, rules
from migrate.schema import config_schema
from tests.test_config import FULL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = config_schema()


def accepted_by_loader(folder: Path, text: str) -> bool:
    (folder / "pyproject.toml").write_text(text)
    try:
        settle(load_config(folder))
    except ConfigError:
        return False
    return True


def accepted_by_schema(text: str) -> bool:
    table = tomllib.loads(text)["tool"]["tc-migrate"]
    return bool(jsonschema.Draft7Validator(SCHEMA).is_valid(table))


def test_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_has_the_keys_of_the_loader() -> None:
    assert sorted(SCHEMA["properties"]) == sorted(KEYS)


def test_offers_every_target() -> None:
    assert SCHEMA["properties"]["target"]["anyOf"][0]["enum"] == [target.name for target in ALL]


def test_accepts_every_codemod_and_rule(tmp_path: Path) -> None:
    names = [*(codemod.name() for codemod in codemods()), *rules(), "TC", "TC4"]
    text = f"[tool.tc-migrate]\nselect = {names}\nignore = {names}\n"
    assert accepted_by_schema(text)
    assert accepted_by_loader(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        pytest.param("", True, id="empty"),
        pytest.param(FULL.replace("[tool.tc-migrate]\n", "", 1), True, id="full"),
        pytest.param("tragets = 1", False, id="unknown key"),
        pytest.param("per_file_ignores = {}", False, id="underscores"),
        pytest.param("target = 2.9", False, id="target a number"),
        pytest.param("target = ' Torch_XLA == 2.9.1 '", True, id="target spelled freely"),
        pytest.param("select = 'TC4'", False, id="select a string"),
        pytest.param("select = ['TC4 ']", False, id="select with a blank"),
        pytest.param("ignore = ['no-codemod']", False, id="ignore with a dash"),
        pytest.param("exclude = [1]", False, id="exclude numbers"),
        pytest.param("exclude = ['any thing at all/*']", True, id="exclude any pattern"),
        pytest.param("safety = 'note'", False, id="safety"),
        pytest.param("safety = 'exact'", True, id="safety exact"),
        pytest.param("per-file-ignores = ['a.py']", False, id="per-file a list"),
        pytest.param("per-file-ignores = {'a.py' = 'TC2'}", False, id="per-file a string"),
        pytest.param("per-file-ignores = {'a.py' = ['TC2']}", True, id="per-file names"),
        pytest.param("per-file-ignores = {'a.py' = ['x y']}", False, id="per-file with a blank"),
    ],
)
def test_agrees_with_the_loader(text: str, right: bool, tmp_path: Path) -> None:
    table = f"[tool.tc-migrate]\n{text}\n"
    assert accepted_by_schema(table) is right
    assert accepted_by_loader(tmp_path, table) is right
