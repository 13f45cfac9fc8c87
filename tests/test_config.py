"""`[tool.tc-migrate]`, and the comments that keep the tool away."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.kit.rules import Safety
from migrate.config import Config, ConfigError, load_config
from migrate.suppress import read_suppressions

FULL = """
[tool.tc-migrate]
target = "torch-xla==2.9"
select = ["device", "TC4"]
ignore = ["TC203"]
safety = "exact"
exclude = ["third_party", "*_cpu.py", "src/legacy/*"]

[tool.tc-migrate.per-file-ignores]
"eval/*.py" = ["TC2"]
"main.py" = ["TC1", "TC3"]
"""


def test_reads_the_nearest_table_upward(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(FULL)
    deep = tmp_path / "package" / "deep"
    deep.mkdir(parents=True)
    # A pyproject.toml without the table, as each package of a monorepo has one, does not hide the one above.
    (deep / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (deep / "train.py").write_text("")
    for start in (tmp_path, deep, deep / "train.py"):
        config = load_config(start)
        assert config.folder == tmp_path
        assert config.target == "torch-xla==2.9"
        assert config.select == ("device", "TC4")
        assert config.ignore == ("TC203",)
        assert config.safety is Safety.EXACT


def test_the_search_ends_with_the_repository(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(FULL)
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    assert load_config(tmp_path / "repository") == Config()


def test_patterns_are_relative_to_the_projects_folder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(FULL)
    config = load_config(tmp_path)
    for inside, excluded in {
        "third_party": True,
        "a/third_party/x.py": True,
        "train_cpu.py": True,
        "src/legacy/old/x.py": True,
        "train.py": False,
        "legacy/x.py": False,
    }.items():
        assert config.excludes(tmp_path / inside) is excluded, inside
    assert config.ignored_in(tmp_path / "eval" / "run.py") == {"TC2"}
    assert config.ignored_in(tmp_path / "deep" / "main.py") == {"TC1", "TC3"}
    assert config.ignored_in(tmp_path / "train.py") == frozenset()
    assert not config.excludes(tmp_path.parent / "elsewhere" / "third_party")


def test_a_link_is_where_it_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file, a folder, and what is named from inside of a folder."""
    config = Config(folder=tmp_path, exclude=("third_party",))
    (tmp_path / "third_party").mkdir()
    (tmp_path / "third_party" / "x.py").write_text("")
    (tmp_path / "link.py").symlink_to("third_party/x.py")
    (tmp_path / "folder").symlink_to("third_party", target_is_directory=True)
    (tmp_path / "train.py").write_text("")
    monkeypatch.chdir(tmp_path / "third_party")
    left_out = [Path(name) for name in (".", "x.py", "../third_party/x.py", "../link.py", "../folder/x.py")]
    assert all(config.excludes(path) for path in left_out)
    assert not any(config.excludes(Path(name)) for name in ("..", "../train.py", "../.."))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("tragets = 1", "unknown key 'tragets' in [tool.tc-migrate]; the nearest is 'target'", id="typo"),
        pytest.param("per_file_ignores = {}", "the nearest is 'per-file-ignores'", id="underscores"),
        pytest.param("target = 2.9", "target is not a string", id="target a number"),
        pytest.param("select = 'TC4'", "select is not a list of strings", id="select a string"),
        pytest.param("exclude = [1]", "exclude is not a list of strings", id="exclude numbers"),
        pytest.param("safety = 'note'", "safety is not one of exact, review", id="safety"),
        pytest.param("per-file-ignores = ['a.py']", "per-file-ignores is not a table", id="per-file a list"),
        pytest.param("target = ", "pyproject.toml: ", id="not TOML"),
    ],
)
def test_says_what_is_wrong_and_where(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.tc-migrate]\n{text}\n")
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path)
    assert message in str(caught.value)
    assert str(tmp_path / "pyproject.toml") in str(caught.value)


@pytest.mark.parametrize(
    ("source", "off"),
    [
        pytest.param("import torch\nx.cuda()\n", False, id="nothing said"),
        pytest.param('"""# tc-migrate: off"""\nx.cuda()\n', False, id="in the docstring"),
        pytest.param("x.cuda()\n# tc-migrate: off\n", False, id="after the first statement"),
        pytest.param("import a  # tc-migrate: off\nx.cuda()\n", False, id="not on its own line"),
        pytest.param("# tc-migrate: offline\n", False, id="another word"),
        pytest.param("# tc-migrate: off\nx.cuda()\n", True, id="first line"),
        pytest.param(
            '"""Doc."""\nimport a\nfrom b import (\n  c)\n#tc-migrate:OFF\nx\n', True, id="no blanks, capitals"
        ),
        pytest.param(
            '#!/bin/py\n"""Doc."""\nimport a\n# hand-tuned; # tc-migrate: off\nx.cuda()\n', True, id="below imports"
        ),
        pytest.param("# tc-migrate: off\nprint 'x'\n  (((\n", True, id="does not parse"),
    ],
)
def test_a_file_is_switched_off(source: str, off: bool) -> None:
    suppressions = read_suppressions(source)
    assert suppressions.file_off is off
    assert suppressions.covers("TC101", 99) is suppressions.file_off


@pytest.mark.parametrize(
    ("source", "covered"),
    [
        pytest.param('x = "# tc-migrate: ignore"\n', set(), id="a string"),
        pytest.param("a\nb  # tc-migrate: ignore\nc\n", {2}, id="its line"),
        pytest.param("a\nb  # noqa # tc-migrate: ignore[TC1, TC201] because\nc\n", {2}, id="listed, prefix"),
        pytest.param("a\nb  # tc-migrate: ignore[tc101]\nc\n", {2}, id="small letters"),
        pytest.param("a\nb  # tc-migrate: ignore[TC9]\nc\n", set(), id="another rule"),
        pytest.param("a\nb  # tc-migrate: ignore[]\nc\n", set(), id="an empty list is not all"),
        pytest.param("f(  # tc-migrate: ignore\n  a,\n  b)\nc\n", {1, 2, 3}, id="first line of a statement"),
        pytest.param("f(\n  a,\n  b)  # tc-migrate: ignore\nc\n", {1, 2, 3}, id="last line of a statement"),
        pytest.param("f(\n  a,  # tc-migrate: ignore\n  b)\nc\n", {2}, id="inside brackets"),
        pytest.param("a\n# tc-migrate: ignore\n\nf(\n  b)\nc\n", {2, 3, 4, 5}, id="own line: the next statement"),
        pytest.param("f(\n  # tc-migrate: ignore\n  b,\n  c)\n", {2, 3}, id="own line inside brackets: the next line"),
        pytest.param("for x in y:  # tc-migrate: ignore\n    z\n", {1}, id="only the header"),
        pytest.param("a\r\nb  # tc-migrate: ignore\rc\r\n", {2}, id="CR LF and CR are ends of lines"),
        pytest.param("a\nb  # tc-migrate: ignore\n'''\n", {2}, id="before what does not tokenize"),
    ],
)
def test_lines_are_left_alone(source: str, covered: set[int]) -> None:
    suppressions = read_suppressions(source)
    assert not suppressions.file_off
    assert {line for line in range(1, 10) if suppressions.covers("TC101", line)} == covered
