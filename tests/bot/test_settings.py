"""`.github/tc-migrate.yml`: what it may say, and the line of what it may not."""

from __future__ import annotations

import json
import time
from pathlib import Path

import jsonschema
import pytest

from codemods.kit.rules import Safety
from codemods.kit.targets import Target
from migrate.bot.git.remote import Remote
from migrate.bot.git.store import Store
from migrate.bot.settings import PATH, Settings, SettingsError, parse_settings, read_settings, settings_schema
from migrate.registry import Selection, codemods, rules
from migrate.schema import config_schema
from tests.bot.repositories import commit_files, commit_tree, make_bare, make_tree

FULL = """\
# What we want.
enabled: false
mode: pr
draft: true
labels: [xla, "ready?"]
target: torch-xla==2.9
select: [device, TC4]
ignore:
  - TC203
safety: exact
exclude: [third_party, "*_cpu.py", src/legacy/*]
per-file-ignores:
  "eval/*.py": [TC2]
"""


def test_all_of_it() -> None:
    settings = parse_settings(FULL.encode())
    selection = Selection(frozenset({"device", "TC4"}), frozenset({"TC203"}), Safety.EXACT)
    per_file = {"eval/*.py": frozenset({"TC2"})}
    exclude = ("third_party", "*_cpu.py", "src/legacy/*")
    target = Target.parse("torch-xla==2.9")
    assert settings == Settings(False, "pr", True, ("xla", "ready?"), target, selection, exclude, per_file)
    assert settings.select("train.py") == selection
    assert settings.select("eval/all.py").ignore == {"TC203", "TC2"}
    left = ["a/third_party/x.py", "train_cpu.py", "src/legacy/old/x.py"]
    assert [settings.excludes(path) for path in [*left, "train.py", "my/src/legacy/x.py"]] == [True] * 3 + [False] * 2


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "{}"])
def test_nothing_said_is_the_defaults(text: str) -> None:
    assert parse_settings(text.encode()) == Settings()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("mode: pr\nenabeld: true\n", 2, "there is no 'enabeld'; the nearest is 'enabled'"),
        ("mode: pr\nmode: check\n", 2, "'mode' is said twice"),
        ("\n\nmode: push\n", 3, "mode is one of check, pr"),
        ("target: 2.9\n", 1, "target is not of type string"),
        ("mode: pr\ntarget: tpu\n", 2, "unknown target 'tpu'"),
        ("labels:\n- a\n- 3\n", 3, "labels.1 is not of type string"),
        ("ignore:\n- TC203\n- TC999x\n", 3, "no codemod or rule is called 'TC999x'"),
        ("per-file-ignores:\n  a.py: [TC2]\n  b.py: [device, tc]\n", 3, "no codemod or rule is called 'tc'"),
        ("per-file-ignores:\n  a.py: TC2\n", 2, "per-file-ignores.a.py is not of type array"),
        ("select: ['a b']\n", 1, "select.0: 'a b' does not match"),
        ("- mode\n", 1, "the file is not of type object"),
        ("just words", 1, "the file is not of type object"),
        ("mode: [\n", 2, "expected the node content"),
        ("a: 1\n\tb: 2\n", 2, "found character '\\t'"),
        ("mode: pr\n---\nmode: pr\n", 2, "but found another document"),
        ("a: &x 1\n", 1, "anchors and aliases are not allowed"),
        ("a: 1\nb: *x\n", 2, "anchors and aliases are not allowed"),
        ("x: !!python/object/apply:os.system [id]\n", 1, "could not determine a constructor"),
        ("mode: !!binary x\n", 1, "failed to decode base64"),
        ("1: x\n", 1, "a key that is not a word"),
        ("<<: {mode: pr}\n", 1, "a key that is not a word"),
        ("? [a]\n: b\n", 1, "a key that is not a word"),
        ("a: 2001-99-99\n", 1, "not YAML: month must be"),
        ("labels: [" + "1" * 5000 + "]\n", 1, "not YAML: "),
        ("a: \x01\n", 1, "not YAML: "),
    ],
)
def test_a_bad_one_is_answered_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings(text.encode())
    assert caught.value.message.startswith(message)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{PATH}:{line}: ")
    assert "\n" not in str(caught.value)


def test_text_that_is_none() -> None:
    with pytest.raises(SettingsError, match=r"yml:2: not UTF-8 text"):
        parse_settings(b"mode: pr\n# caf\xe9\n")


BOMB = "a: &a [x]\n" + "".join(
    f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "[" * 60_000,
        "{a: " * 15_000,
        "- " * 30_000,
        "? " * 30_000,
        "a: '" + "x" * 70_000 + "'",
        "a: " + "1:" * 30_000 + "1",
        "\n".join(f"k{number}: 1" for number in range(6_000)),
        "labels: [" + "a," * 30_000 + "]",
    ],
    ids=["aliases", "brackets", "braces", "dashes", "questions", "long", "sexagesimal", "keys", "labels"],
)
def test_one_made_to_bring_us_down(text: str) -> None:
    start = time.process_time()
    with pytest.raises(SettingsError):
        parse_settings(text.encode())
    assert time.process_time() - start < 20


# --- where it is read ---------------------------------------------------------------------------------------------


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return make_bare(tmp_path / "origin")


def settings_of(origin: Path, branch: str = "main") -> Settings:
    store = Store(origin.parent / "store")
    return read_settings(store, store.fetch(Remote(str(origin)), branch))


def test_they_are_those_of_the_commit_that_is_asked_for(origin: Path) -> None:
    commit_files(origin, {PATH: b"mode: pr\n", "train.py": b""})
    commit_files(origin, {PATH: b"mode: check\ntarget: torch-xla==2.9\n"}, branch="a-persons-branch")
    commit_files(origin, {"train.py": b""}, branch="none")
    assert settings_of(origin).mode == "pr"
    assert settings_of(origin, "a-persons-branch").target.name == "torch-xla==2.9"
    assert settings_of(origin, "none") == Settings()


def test_a_link_to_a_file_of_ours_is_no_settings(origin: Path) -> None:
    folder = make_tree(origin, [("120000", "tc-migrate.yml", b"/etc/passwd")])
    commit_tree(origin, [("40000", ".github", folder.encode())])
    with pytest.raises(SettingsError, match="a link"):
        settings_of(origin)


# --- the schema ---------------------------------------------------------------------------------------------------


def test_the_schema_says_what_the_settings_say() -> None:
    schema = settings_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    shared = config_schema()["properties"]
    del shared["models"]  # of a repository the bot reads what it migrates, and nothing that says how to
    assert shared.keys() <= schema["properties"].keys()
    defaults = parse_settings(json.dumps({key: each["default"] for key, each in schema["properties"].items()}).encode())
    assert defaults == Settings()


def test_every_codemod_and_rule_can_be_named() -> None:
    names = sorted({codemod.name() for codemod in codemods()} | set(rules()))
    for start in range(0, len(names), 200):
        some = names[start : start + 200]
        assert parse_settings(f"select: {json.dumps(some)}".encode()).selection.select == set(some)
