"""Building environments, with recipes that install nothing. Needs no torch."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from migrate.migration import MigrateError
from migrate.smoke import environments
from migrate.smoke.environments import MARKER, RECIPES, Recipe, find, main, provision

SLOW = pytest.mark.real_xla
"""Makes a virtual environment, which takes seconds."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    recipe = Recipe("0.0.1", (sys.version_info[:2],), installs=())
    broken = Recipe("0.0.2", (sys.version_info[:2],), installs=((str(tmp_path / "no-such-package"),),))
    monkeypatch.setattr(environments, "RECIPES", {"0.1": recipe, "0.2": broken})
    return tmp_path / "tc-migrate" / "environments"


@SLOW
def test_is_built_once_and_found_again(cache: Path) -> None:
    assert find("0.1") is None
    built = provision("0.1", os.open(os.devnull, os.O_WRONLY))
    assert built.python.is_file()
    assert built.python.is_relative_to(cache / f"torch_xla-0.0.1-py{sys.version_info[0]}{sys.version_info[1]}")
    made = built.python.lstat().st_mtime_ns
    assert find("0.0.1") == provision("0.1") == built
    assert built.python.lstat().st_mtime_ns == made


@SLOW
def test_a_build_that_fails_leaves_nothing(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["0.2"]) == 2
    assert "no-such-package" in capsys.readouterr().err
    assert find("0.2") is None
    assert [path.name for path in cache.iterdir() if path.is_dir()] == []


def test_an_environment_by_another_recipe_is_not_taken(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = environments.folder_for(environments.RECIPES["0.1"], sys.version_info[:2])
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    (folder / MARKER).write_text("an older recipe\n")
    assert find("0.1") is None
    (folder / MARKER).write_text(environments.RECIPES["0.1"].digest)
    assert find("0.1") is not None


def test_says_which_versions_there_are() -> None:
    with pytest.raises(MigrateError, match=r"no recipe for a torch_xla 1\.13 .* 2\.9, 2\.4, 2\.3, 2\.2, 2\.1$"):
        find("1.13")


def test_says_which_python_is_missing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(environments.RECIPES, "0.1", Recipe("0.0.1", ((3, 99),), ()))
    with pytest.raises(MigrateError, match=r"needs a Python of version 3\.99"):
        provision("0.1")


def test_recipes_agree_with_their_names() -> None:
    for name, recipe in RECIPES.items():
        assert recipe.version.startswith(f"{name}.")
        assert f"torch_xla=={recipe.version}" in recipe.installs[0]
