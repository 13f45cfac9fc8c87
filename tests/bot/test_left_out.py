"""What somebody has asked to leave out: told from a word, kept in the marker, and left out."""

from __future__ import annotations

import pytest

from migrate.bot.left_out import find_word, leave_out, remember
from migrate.bot.marker import Marker, read_marker
from migrate.bot.settings import Settings, parse_settings
from migrate.forge.values import PullRequest
from tests.bot.migrations import COMMIT, HOSTILE

PATHS = ["train.py", "old/lib/deep.py", "caf\u00e9.py", "a,b -->.py", "nb.ipynb"]


def marker(*words: str, recipe: str = "smtc") -> Marker:
    return Marker(recipe, COMMIT, "0.1.0", "0" * 32, words)


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("TC401", "TC401"),
        ("tc401", "TC401"),
        ("TC4", "TC4"),
        ("TS012", "TS012"),
        ("optimizer_step", "optimizer_step"),
        ("train.py", "train.py"),
        ("old", "old"),
        ("old/*", "old/*"),
        ("*.ipynb", "*.ipynb"),
        ("caf\u00e9.py", "caf\u00e9.py"),
        ("TC999", None),
        ("gone.py", None),
        ("train", None),
        ("\ud800*", None),
        ("*" * 200, None),
        ("caf\u00e9" * 40 + "*", None),
    ],
)
def test_a_word_is_a_rule_or_a_pattern_of_a_script(word: str, found: str | None) -> None:
    assert find_word(word, PATHS) == found


@pytest.mark.parametrize("words", [(), ("TC401",), ("a,b -->.py", "--", "caf\u00e9", "100%25", HOSTILE[:200])])
def test_the_marker_keeps_any_word(words: tuple[str, ...]) -> None:
    line = str(marker(*words))
    assert read_marker(line + "text") == marker(*words)
    assert line.count("\n") == 1
    assert line.count("--") == 2
    assert line.isascii()


def test_the_newest_of_the_recipe_counts() -> None:
    def pull(number: int, body: str, *, is_open: bool) -> PullRequest:
        return PullRequest(number, is_open, False, "main", body, frozenset())

    found = [
        pull(4, "mine now", is_open=True),
        pull(3, str(marker("TC101", recipe="torch-xla-2.9")), is_open=True),
        pull(2, str(marker("TC401", "old")), is_open=False),
        pull(1, str(marker("TC1")), is_open=False),
    ]
    assert remember(found, "smtc") == ("TC401", "old")
    assert remember(found, "smtc-1.12") == ()


def test_it_is_left_out_besides_what_the_settings_leave_out() -> None:
    settings = parse_settings(b"ignore: [TC2]\nexclude: [third_party]\nlabels: [x]\n")
    found = leave_out(settings, ("TC401", "old/*"))
    assert found.selection.ignore == {"TC2", "TC401"}
    assert [found.excludes(path) for path in ("third_party/a.py", "old/a.py", "a.py")] == [True, True, False]
    assert (found.left_out, found.labels) == (("TC401", "old/*"), ("x",))
    assert leave_out(Settings(), ()) == Settings()
