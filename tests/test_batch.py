"""Many files: the same results whoever works on them, each parsed once, and no file costs another."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from migrate.batch import limits
from migrate.batch.run import Order, migrate_files
from migrate.batch.scan import Script, examine
from migrate.batch.weight import memory_of
from migrate.cache import Cache
from migrate.discover import find_scripts
from migrate.migration import Migration, Status
from migrate.pipeline import Prepared
from migrate.prefilter import Look
from migrate.project import Shelf, migrate_project
from tests.goldens import ROOT, TARGETS, cases, project_sources
from tests.training_script import TRAIN

XLA = TARGETS["xla"]
PROJECTS = sorted(path for path in (ROOT / "projects").iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some projects and some whole scripts of the goldens below one folder, a file that cannot be parsed, and files
    that have nothing to do with training."""
    top = tmp_path_factory.mktemp("tree")
    for project in PROJECTS[::4]:
        for name, text in project_sources(project).items():
            _put(top / project.name / name, f"{text}# {project.name}\n")
    _put(top / "broken.py", "import torch\n\ntorch.cuda.synchronize(\n")
    for case in cases("scripts")[::6]:
        _put(top / "scripts" / f"{case.path.parent.name}.py", case.source)
    for number in range(20):
        _put(top / "other" / f"page{number}.py", "def render(page):\n    return page.title\n")
    _settle(top)
    return top


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)


def _settle(top: Path) -> None:
    """As if nobody had written there for an hour; a time of change cannot be set, so the cache is told to trust it."""
    before = time.time() - 3600
    for path in top.rglob("*.py"):
        os.utime(path, (before, before))


@pytest.fixture(autouse=True)
def _trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("migrate.cache.SETTLED_NS", 0)


def scripts(folder: Path) -> list[Script]:
    return [Script(name, root, root, status=status) for name, root, status in find_scripts([folder])]


def migrated(folder: Path, **order: Any) -> dict[str, Migration]:
    found = migrate_files(scripts(folder), Order(XLA, **order))
    return {script.path.relative_to(folder).as_posix(): migration for script, migration in found}


def told(migration: Migration) -> tuple[object, ...]:
    """What a user sees of it."""
    result = migration.result if migration.status is Status.MIGRATED else None
    return migration.status, result, migration.changes, migration.notes


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that LibCST has parsed in this process."""
    texts: list[str] = []
    parse = cst.parse_module

    def counted(source: str) -> cst.Module:
        texts.append(source)
        return parse(source)

    monkeypatch.setattr(cst, "parse_module", counted)
    return texts


# --- the same results ---------------------------------------------------------------------------------------------


def test_the_results_do_not_depend_on_who_works_nor_on_what_is_remembered(tree: Path, tmp_path: Path) -> None:
    expected = {name: told(migration) for name, migration in migrated(tree, prefilter=False).items()}
    assert len({kind for kind, *_ in expected.values()}) >= 3
    cache = Cache(tmp_path)
    for order in ({"jobs": 3}, {"jobs": 2, "cache": cache}, {"cache": cache}):
        found = migrated(tree, **order)
        assert list(found) == list(expected)
        assert {name: told(migration) for name, migration in found.items()} == expected, order
    cache.close()


def test_a_file_that_was_passed_over_is_read_where_it_is_asked_for(tmp_path: Path) -> None:
    """Of a file without a word of training no digest is remembered: results are found by digests."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "page.py").write_text("x = 1\n")
    with closing(Cache(tmp_path)) as cache:
        for prefilter in (True, True, False, False):
            (script,) = scripts(tmp_path / "tree")
            examine([script], cache, prefilter)
            assert (script.look, bool(script.digest)) == (Look.NOTHING, not prefilter)


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_a_folder_is_migrated_as_a_project_is(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole, and with each program split between workers as if it were a large one."""
    sources = project_sources(project)
    for name, text in sources.items():
        _put(tmp_path / name, text)
    expected = {name: told(migration) for name, migration in migrate_project(sources, target=XLA)}
    assert {name: told(migration) for name, migration in migrated(tmp_path).items()} == expected
    monkeypatch.setattr("migrate.batch.run._WORTH_A_POOL", 0)
    monkeypatch.setattr("migrate.batch.run.KEPT_LINES", 0)
    monkeypatch.setattr("migrate.batch.run._SMALLEST_CHUNK", 1)
    assert {name: told(migration) for name, migration in migrated(tmp_path, jobs=8).items()} == expected


def test_a_script_of_a_folder_by_itself_is_migrated_as_if_given_by_itself(tmp_path: Path) -> None:
    case = cases("scripts")[0]
    _put(tmp_path / "train.py", case.source)
    alone = migrate_files([Script(str(tmp_path / "train.py"), tmp_path, None)], Order(XLA))
    assert told(migrated(tmp_path)["train.py"]) == told(next(alone)[1]) == told(case.migrated("xla"))


# --- work ---------------------------------------------------------------------------------------------------------


def test_each_file_is_parsed_once_and_the_next_time_not_at_all(
    tree: Path, tmp_path: Path, parses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("migrate.project.Shelf", lambda texts, room=10**6: Shelf(texts, room))
    cache = Cache(tmp_path)
    first = migrated(tree, cache=cache)
    texts = {path.read_text(encoding="utf-8-sig", errors="replace") for path in tree.rglob("*.py")}
    assert parses
    assert sorted(parses) == sorted(set(parses))
    assert not any("render(page)" in text for text in parses)
    assert len(texts) > len(texts & set(parses)) > 0  # templates of edits are parsed too
    parses.clear()
    opened: list[Path] = []
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: (opened.append(path), read(path))[1])
    again = migrated(tree, cache=cache)
    assert parses == []
    # Only what has something to show is read.
    silent = [
        name for name, found in again.items() if found == Migration(found.path, XLA.name, Status.UNCHANGED, "", "")
    ]
    assert silent
    assert not {tree / name for name in silent} & set(opened)
    assert {name: told(migration) for name, migration in again.items()} == {
        name: told(migration) for name, migration in first.items()
    }
    cache.close()


def test_a_changed_file_is_parsed_again_and_those_it_has_news_for(tmp_path: Path, parses: list[str]) -> None:
    project = ROOT / "projects" / "trainer_class"
    for name, text in project_sources(project).items():
        _put(tmp_path / "tree" / name, text)
    cache = Cache(tmp_path / "cache")
    migrated(tmp_path / "tree", cache=cache)
    changed = next((tmp_path / "tree").rglob("*.py"))
    _put(changed, changed.read_text() + "\n# a remark\n")
    parses.clear()
    found = migrated(tmp_path / "tree", cache=cache)
    assert [text.endswith("# a remark\n") for text in parses] in ([], [True])
    assert {name: told(each) for name, each in found.items()} == {
        name: told(each) for name, each in migrated(tmp_path / "tree").items()
    }
    cache.close()


def test_a_large_program_keeps_only_so_many_lines_parsed() -> None:
    shelf = Shelf(dict.fromkeys("abc", TRAIN), room=TRAIN.count("\n") * 2)
    for name in "abc":
        shelf.summarise(name)
    assert [name in shelf for name in "abc"] == [True, True, False]


# --- workers that fail --------------------------------------------------------------------------------------------


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty scripts, one of which is bad, in a folder of their own."""
    monkeypatch.setattr("migrate.batch.run._WORTH_A_POOL", 0)
    for number in range(40):
        _put(tmp_path / "many" / f"train{number}.py", TRAIN)
    _put(tmp_path / "many" / "train7.py", TRAIN + "BAD = True\n")
    return tmp_path / "many"


def _make_bad(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Let the workers, which are forked, do this with the bad script."""
    migrate = Prepared.migrate

    def bad(prepared: Prepared, **more: Any) -> Migration:
        if "BAD" in prepared.original:
            act()
        return migrate(prepared, **more)

    monkeypatch.setattr(Prepared, "migrate", bad)


def _hang() -> None:
    while True:
        time.sleep(0.01)


def test_the_limit_is_of_the_processor_and_not_of_the_clock() -> None:
    """On a machine that other work keeps busy a program is judged as on any other."""
    with limits.limited(0.2):
        time.sleep(0.4)
    for work in (lambda: sum(range(10**6)) and None, lambda: time.sleep(4)):
        with pytest.raises(limits.Overtime), limits.limited(0.2):
            all(work() is None for _ in range(100))


def _hang_in_native_code() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    ctypes.PyDLL(None).sleep(1000)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        pytest.param(lambda: os.kill(os.getpid(), signal.SIGKILL), "ended abruptly", id="killed"),
        pytest.param(lambda: os._exit(0), "ended abruptly", id="gone"),
        pytest.param(_hang, "takes longer than 2 seconds", id="hangs"),
        pytest.param(_hang_in_native_code, "ended abruptly", id="hangs in native code"),
    ],
)
def test_a_file_that_takes_its_worker_down_costs_itself_only(
    many: Path, monkeypatch: pytest.MonkeyPatch, act: Any, reason: str
) -> None:
    _make_bad(monkeypatch, act)
    monkeypatch.setattr(limits, "_GRACE", 0.5)
    found = migrated(many, jobs=2, seconds=2.0)
    assert [path.name for path in sorted(many.iterdir())] == sorted(found)
    failed = {name: migration for name, migration in found.items() if migration.status is not Status.MIGRATED}
    assert list(failed) == ["train7.py"]
    assert failed["train7.py"].status is Status.FAILED
    assert reason in failed["train7.py"].reason
    assert failed["train7.py"].result == (many / "train7.py").read_text()


def test_a_file_that_takes_its_worker_down_costs_its_program_only_what_it_would_have_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = ROOT / "projects" / "trainer_class"
    for name, text in project_sources(project).items():
        _put(tmp_path / name, text + ("BAD = True\n" if name == sorted(project_sources(project))[0] else ""))
    monkeypatch.setattr("migrate.batch.run._WORTH_A_POOL", 0)
    _make_bad(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGKILL))
    found = migrated(tmp_path, jobs=2)
    assert [name for name, migration in found.items() if migration.status is Status.FAILED] == [sorted(found)[0]]
    assert any(migration.status is Status.MIGRATED for migration in found.values())


def test_a_file_that_hangs_is_left_in_the_same_process_too(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make_bad(monkeypatch, _hang)
    found = migrated(many, jobs=1, seconds=2.0)
    assert [name for name, migration in found.items() if migration.status is Status.FAILED] == ["train7.py"]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs limits on memory as Linux has them")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_takes_too_much_memory_costs_itself_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """LibCST's parser would take some 7 GB for this and end its process when it cannot have them."""
    _put(tmp_path / "calls.py", TRAIN + ("x = " + "f(" * 190 + ")" * 190 + "\n") * 90)
    _put(tmp_path / "train.py", TRAIN)
    taken = re.search(r"VmData:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert taken is not None
    monkeypatch.setattr(limits, "_LEAST_MEMORY", int(taken[1]) * 1024 + 300 * 1024**2)
    monkeypatch.setattr(limits, "_MOST_MEMORY", limits._LEAST_MEMORY)
    found = migrated(tmp_path, jobs=jobs)
    assert [migration.status for migration in found.values()] == [Status.FAILED, Status.MIGRATED]
    assert "no memory left" in found["calls.py"].reason


@pytest.mark.parametrize(
    ("text", "most"),
    [
        (TRAIN * 10, 100),
        ("a\n" * 10_000, 200),
        ("x = [" + "1, " * 10_000 + "]\n", 400),
        (("x = " + "[" * 100 + "]" * 100 + "\n") * 30, 600),
    ],
    ids=["a script", "short statements", "a long list", "nested lists"],
)
def test_memory_is_told_before_it_is_taken(text: str, most: int) -> None:
    """At least what parsing takes; and for a script no more than is had anyway. In MiB."""
    code = (
        "import resource, sys\nimport libcst\ntext = sys.stdin.read()\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak()\nlibcst.parse_module(text)\nprint(peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, check=True)
    assert int(done.stdout) / 1024 <= memory_of(text) / 1024**2 <= most


# --- the command --------------------------------------------------------------------------------------------------


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """Enough scripts for a run of some seconds."""
    for number in range(40):
        _put(tmp_path / "slow" / f"train{number}.py", TRAIN * 15 + f"# {number}\n")
    return tmp_path / "slow"


def _start(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "migrate.cli", *words],
        cwd=ROOT.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # A shell has what it starts in the background ignore Ctrl-C, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def _children(process: int) -> Iterator[int]:
    with open(f"/proc/{process}/task/{process}/children") as file:
        yield from map(int, file.read().split())


def _wait_for_workers(process: subprocess.Popen[bytes], count: int) -> list[int]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = list(_children(process.pid))
        if len(found) >= count:
            return found
        time.sleep(0.02)
    pytest.fail("no workers")


def _gone(processes: list[int]) -> bool:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not any(_lives(process) for process in processes):
            return True
        time.sleep(0.05)
    return False


def _lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("how", "everybody", "code"),
    [
        pytest.param(signal.SIGINT, True, 130, id="Ctrl-C"),
        pytest.param(signal.SIGINT, False, 130, id="interrupted"),
        pytest.param(signal.SIGKILL, False, -signal.SIGKILL, id="killed"),
    ],
)
def test_a_run_that_is_stopped_leaves_nothing_behind(slow: Path, how: int, everybody: bool, code: int) -> None:
    before = {path: path.read_bytes() for path in slow.iterdir()}
    process = _start("--write", "--force", "--no-cache", "-j", "2", str(slow))
    workers = _wait_for_workers(process, 2)
    if everybody:
        os.killpg(process.pid, how)
    else:
        process.send_signal(how)
    _, trouble = process.communicate(timeout=60)
    assert process.returncode == code
    assert _gone(workers)
    assert {path: path.read_bytes() for path in slow.iterdir()} == before
    if code == 130:
        assert trouble.decode() == "stopped\n"


def test_a_small_script_pays_for_no_pool_and_no_cache(tmp_path: Path) -> None:
    _put(tmp_path / "train.py", TRAIN)
    absent = {"sqlite3", "multiprocessing", "concurrent.futures", "platformdirs", "rich", "distributed"}
    code = (
        "import sys\nfrom migrate.cli import main\n"
        f"try:\n    main(['--check', {str(tmp_path / 'train.py')!r}], prog_name='tc-migrate')\n"
        f"except SystemExit:\n    print(sorted({absent!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT.parent, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_no_bar_when_piped(slow: Path) -> None:
    process = _start("--check", "--no-cache", "-j", "2", str(slow))
    out, trouble = process.communicate(timeout=120)
    assert process.returncode == 1
    assert len(out.splitlines()) == 40
    assert b"\x1b" not in out + trouble
