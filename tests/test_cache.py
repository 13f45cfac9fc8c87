"""The cache: what it finds again, and that a bad one is as if there were none."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

import pytest

from codemods.kit.links import ALONE, Links
from migrate import cache as module
from migrate.batch.digests import digest, digest_of
from migrate.cache import Cache, Seen


def test_values_and_files_are_found_again(tmp_path: Path) -> None:
    first = Cache(tmp_path)
    first.put(b"a", {"x": (1, 2)})
    first.see("/top/x.py", SEEN)
    first.see("/topmost/x.py", SEEN)
    first.close()
    second = Cache(tmp_path)
    assert second.get([b"a", b"b"]) == {b"a": {"x": (1, 2)}}
    assert second.seen_below("/top") == {"/top/x.py": SEEN}
    assert second.seen_below("/") == {"/top/x.py": SEEN, "/topmost/x.py": SEEN}


SEEN = Seen(3, 1, 2, b"digest", 1, ("a.b", ".c"))


def test_a_file_that_may_change_unseen_is_not_remembered(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    now = time.time_ns()
    cache.see("/top/x.py", Seen(3, now, 2, b"digest", 1, ()))
    cache.see("/top/y.py", Seen(3, 1, now, b"digest", 1, ()))
    assert cache.seen_below("/top") == {}


def test_more_than_one_statement_takes(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    keys = [digest(str(number)) for number in range(1_234)]
    for number, key in enumerate(keys):
        cache.put(key, number)
    assert cache.get(keys) == {key: number for number, key in enumerate(keys)}
    cache.close()
    (file,) = tmp_path.glob("results-*.sqlite3")
    with sqlite3.connect(file) as base:
        assert base.execute("select count(*) from results").fetchone() == (1_234,)


def _overwrite(file: Path) -> None:
    file.write_bytes(b"no database" * 1_000)


def _cut(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2] + b"\xff" * 100)


@pytest.mark.parametrize("damage", [_overwrite, _cut])
def test_a_damaged_cache_is_said_once_and_starts_anew(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    first = Cache(tmp_path)
    for number in range(600):
        first.put(digest(str(number)), "x" * 100)
    first.close()
    (file,) = tmp_path.glob("results-*.sqlite3")
    damage(file)
    said: list[str] = []
    second = Cache(tmp_path, said.append)
    for _ in range(3):
        assert second.get(digest(str(number)) for number in range(600)) == {}
        second.put(b"b", 2)
        assert second.seen_below("/") == {}
    second.close()
    assert len(said) == 1
    third = Cache(tmp_path, said.append)
    third.put(b"c", 3)
    third.close()
    assert Cache(tmp_path, said.append).get([b"c"]) == {b"c": 3}
    assert len(said) == 1


def test_a_value_with_a_bit_flipped_is_not_there(tmp_path: Path) -> None:
    first = Cache(tmp_path)
    first.put(b"a", "value")
    first.close()
    (file,) = tmp_path.glob("results-*.sqlite3")
    with sqlite3.connect(file) as base:
        base.execute("update results set value = replace(value, 'value', 'valve')")
    assert Cache(tmp_path).get([b"a"]) == {}


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said: list[str] = []
    cache = Cache(tmp_path / "file" / "cache", said.append)
    cache.put(b"a", 1)
    assert cache.get([b"a"]) == {}
    cache.close()
    assert len(said) == 1


def test_a_locked_cache(tmp_path: Path) -> None:
    first = Cache(tmp_path)
    first.put(b"a", 1)
    first.close()
    (file,) = tmp_path.glob("results-*.sqlite3")
    said: list[str] = []
    with sqlite3.connect(file, isolation_level=None) as base:
        base.execute("begin exclusive")
        cache = Cache(tmp_path, said.append)
        assert cache.get([b"a"]) == {}
        cache.close()
    assert len(said) == 1
    assert Cache(tmp_path).get([b"a"]) == {b"a": 1}


def test_two_runs_at_once(tmp_path: Path) -> None:
    one, other = Cache(tmp_path), Cache(tmp_path)
    assert one.get([b"a"]) == other.get([b"a"]) == {}
    one.put(b"a", 1)
    other.put(b"b", 2)
    one.close()
    other.close()
    assert Cache(tmp_path).get([b"a", b"b"]) == {b"a": 1, b"b": 2}


def test_another_state_of_the_tool_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    cache.put(b"a", 1)
    cache.close()
    stat = os.stat

    def changed(path: object, **more: object) -> os.stat_result:
        found = stat(path, **more)  # type: ignore[call-overload]
        if not str(path).endswith("pipeline.py"):
            return found
        return os.stat_result((*found[:6], found.st_size + 1, *found[7:]))

    class Other:
        stat = staticmethod(changed)

        def __getattr__(self, name: str) -> object:
            return getattr(os, name)

    with monkeypatch.context() as patch:
        patch.setattr(module, "os", Other())
        assert Cache(tmp_path).get([b"a"]) == {}
    assert Cache(tmp_path).get([b"a"]) == {b"a": 1}


def test_old_caches_are_deleted_and_the_own_when_it_is_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, young = tmp_path / "results-old.sqlite3", tmp_path / "results-young.sqlite3"
    for file in (old, young):
        file.write_bytes(b"")
    os.utime(old, (0, 0))
    cache = Cache(tmp_path)
    cache.put(b"a", 1)
    cache.close()
    assert (old.exists(), young.exists()) == (False, True)
    monkeypatch.setattr(module, "_LARGEST", 10)
    assert Cache(tmp_path).get([b"a"]) == {}


def test_equal_links_have_one_digest_and_others_another() -> None:
    first = Links(wanted=frozenset("abcdefgh"), steps={1: "x", 2: "y"})
    second = Links(wanted=frozenset("hgfedcba"), steps={2: "y", 1: "x"})
    assert digest_of(first) == digest_of(second)
    others = [Links(wanted=frozenset("abc")), Links(steps={1: "x"}), Links(several=True), ALONE]
    assert len({digest_of(links) for links in (first, *others)}) == 5
    assert digest_of(Links()) == digest_of(ALONE)
