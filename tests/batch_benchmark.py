"""What a run over many files costs: `python -m tests.batch_benchmark [--relevant FOLDER...] [--irrelevant FOLDER...]`.

Every figure is a ratio to something measured in turn with it in the same run, CPU time of whole processes unless it
says otherwise; the median of the rounds' own ratios. `--irrelevant` names folders of Python files without CUDA use
(the packages of a virtual environment, say Django and SymPy): 5,000 files with the relevant ones make the tree. Without
it the standard library is taken. `--relevant` names folders of training scripts, of which 150 are drawn; without it
they are the longest goldens, which are short and have CUDA in every other line.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from tests.goldens import ROOT, cases

FILES, RELEVANT = 5_000, 150
PURE = """\
import pathlib, sys
import libcst
for name in pathlib.Path(sys.argv[1]).read_text().splitlines():
    data = pathlib.Path(name).read_bytes()
    pathlib.Path(sys.argv[2]).write_bytes(libcst.parse_module(data).bytes)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--relevant", nargs="*", type=Path, default=[])
    parser.add_argument("--irrelevant", nargs="*", type=Path, default=[Path(sysconfig.get_path("stdlib"))])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), _scripts(options.relevant) or _goldens(), options.irrelevant, options.rounds)
        for figure in (bench.startup, bench.relevant, bench.whole, bench.again, bench.lines, bench.files, bench.workers,
                       bench.memory):  # fmt: skip
            if not options.only or figure.__name__ in options.only:
                print(f"{figure.__name__:10} {figure()}", flush=True)


class Bench:
    """The trees, and a figure for each method."""

    def __init__(self, top: Path, scripts: list[str], irrelevant: list[Path], rounds: int) -> None:
        self.top, self.rounds, self.scripts = top, rounds, scripts
        self.relevant_tree, self.tree = top / "relevant", top / "tree"
        for number, text in enumerate(self.scripts):
            for tree in (self.relevant_tree, self.tree):
                _put(tree / f"part{number % 10}" / f"script{number}.py", text)
        found = islice(_irrelevant(irrelevant), FILES - len(self.scripts))
        self.count = len(self.scripts)
        for number, data in enumerate(found):
            place = self.tree / f"package{number % 97}" / f"module{number}.py"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            self.count += 1
        (top / "pure.py").write_text(PURE)

    def startup(self) -> str:
        """--help and --version beside a bare interpreter."""
        bare = statistics.median(_cpu(sys.executable, "-c", "pass") for _ in range(9))
        told = [statistics.median(_cpu(*_command(flag)) for _ in range(9)) for flag in ("--help", "--version")]
        return f"--help {told[0] * 1000:.0f} ms, --version {told[1] * 1000:.0f} ms, python -c pass {bare * 1000:.0f} ms"

    def relevant(self) -> str:
        """The work on relevant files, in this process, to parsing them and writing them back."""
        import libcst

        from codemods.kit.targets import SMTC
        from migrate.batch.run import Order, migrate_files
        from migrate.batch.scan import Script

        paths = sorted(self.relevant_tree.rglob("*.py"))

        def migrated() -> None:
            scripts = [Script(str(path), self.relevant_tree, self.relevant_tree) for path in paths]
            for _ in migrate_files(scripts, Order(SMTC)):
                pass

        def pure() -> None:
            for path in paths:
                libcst.parse_module(path.read_bytes()).bytes  # noqa: B018

        migrated()
        return f"{self._ratio(lambda: _own(migrated), lambda: _own(pure)):.2f} of parsing and writing back in process"

    def whole(self) -> str:
        """A whole run over the tree, to a process that parses and writes back the relevant files and nothing else."""
        listed = self.top / "listed"
        listed.write_text("\n".join(map(str, sorted(self.relevant_tree.rglob("*.py")))))
        run = _command("--check", "--no-cache", "-j", "1", str(self.tree))
        pure = (sys.executable, str(self.top / "pure.py"), str(listed), str(self.top / "out"))
        ratio = self._ratio(lambda: _cpu(*run), lambda: _cpu(*pure))
        found = self._ratio(lambda: _cpu(*run), lambda: _cpu(*run[:-1], str(self.relevant_tree)))
        return (
            f"{ratio:.2f} of a process that only parses and writes back {len(self.scripts)} files of {self.count:,}; "
            f"{found:.2f} of a run over those alone"
        )

    def again(self) -> str:
        """A second run over the unchanged tree, all but the start of Python, to `git ls-files` and a stat of each file:
        where it is piped and can say again what it has said, and where each result is wanted."""
        subprocess.run(["git", "init", "-q", str(self.tree)], check=True)
        subprocess.run(["git", "-C", str(self.tree), "add", "."], check=True)
        time.sleep(2.5)  # so that the files count as settled

        def listed() -> None:
            words = ["git", "-C", str(self.tree), "ls-files", "-z", "-co", "--exclude-standard"]
            done = subprocess.run(words, capture_output=True, check=True)
            for name in done.stdout.decode().split("\0")[:-1]:
                os.stat(f"{self.tree}/{name}")

        command = _command("--check", "-j", "1", "--cache-dir", str(self.top / "cache"), str(self.tree))
        first, second = _cpu(*command), min(_cpu(*command) for _ in range(3))
        self._said()
        found = []
        for name, way in {
            "--check": lambda: self._said(check=True),
            "diff": self._said,
            "results": self._results,
        }.items():
            ratio = statistics.median(_own(way) / _own(listed) for _ in range(5 * self.rounds))
            found.append(f"{name} {ratio:.2f}")
        return f"{', '.join(found)} of git ls-files and stat; whole processes {first:.2f} and {second:.2f} s"

    def _said(self, **options: bool) -> None:
        """What a run says into a pipe."""
        from migrate.cli_run import Options, run

        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            run(Options(paths=(str(self.tree),), jobs=1, cache_dir=str(self.top / "cache"), **options))

    def _results(self) -> None:
        """What has come of each file."""
        from codemods.kit.targets import SMTC
        from migrate.batch.run import Order, migrate_files
        from migrate.batch.scan import Script
        from migrate.cache import Cache
        from migrate.discover import find_scripts

        with contextlib.closing(Cache(self.top / "cache")) as cache:
            scripts = [Script(name, root, root, status=status) for name, root, status in find_scripts([self.tree])]
            assert len(list(migrate_files(scripts, Order(SMTC, cache=cache)))) == self.count

    def lines(self) -> str:
        """Eight times the lines in one file: the growth, to libcst's own."""
        import libcst

        from codemods.kit.targets import SMTC
        from migrate.pipeline import migrate

        text = next(text for text in self.scripts if text.startswith("import"))
        one, eight = text, "".join(text.replace("def ", f"def f{number}_") for number in range(8))

        def growth(work: Callable[[str], object]) -> float:
            return _own(lambda: work(eight)) / min(_own(lambda: work(one)) for _ in range(3))

        migrate(one, target=SMTC)
        ratio = self._ratio(
            lambda: growth(lambda source: migrate(source, target=SMTC)),
            lambda: growth(lambda source: libcst.parse_module(source).code),
        )
        return f"{ratio:.2f} of libcst's own growth from {one.count(chr(10))} lines to {eight.count(chr(10)):,}"

    def files(self) -> str:
        """Eight times the files: the growth, start-up taken off."""
        few, many = self.top / "few", self.top / "many"
        for number in range(160):
            text = self.scripts[number % 20]
            _put(many / f"script{number}.py", text)
            if number < 20:
                _put(few / f"script{number}.py", text)
        empty = self.top / "empty"
        empty.mkdir()
        words = _command("--check", "--no-cache", "-j", "1")
        ratios = []
        for _ in range(self.rounds):
            none = _cpu(*words, str(empty))
            ratios.append((_cpu(*words, str(many)) - none) / (_cpu(*words, str(few)) - none))
        return f"{statistics.median(ratios):.2f} times the work for 8 times the files"

    def workers(self) -> str:
        """Two workers to one, by the clock, which means nothing unless two cores are free; and by CPU time, as if they
        were: the first process's and half of the workers', all on one core, as two may slow each other down."""
        found = []
        for copies in (1, 4):
            tree = self.top / f"copies{copies}"
            for copy in range(copies):
                shutil.copytree(self.relevant_tree, tree / f"copy{copy}")
            words = _command("--check", "--no-cache", str(tree))
            clock = self._ratio(lambda: _wall(*words, "-j", "1"), lambda: _wall(*words, "-j", "2"))  # noqa: B023
            one, first, others = (
                statistics.median(times) for times in zip(*(_shares(tree) for _ in range(self.rounds)), strict=True)
            )
            found.append(
                f"{copies * len(self.scripts)} files {one / (first + others / 2):.2f} times as fast by CPU time "
                f"({one:.2f} s; {first:.2f} s, and {others:.2f} s in workers), {clock:.2f} by the clock"
            )
        return f"{'; '.join(found)} (load {os.getloadavg()[0]:.1f})"

    def memory(self) -> str:
        """The most memory a worker takes: many scripts, and a file of 5,000 lines."""
        text = next(text for text in self.scripts if text.startswith("import"))
        long = self.top / "long"
        copies = 5_000 // text.count("\n")
        _put(long / "long.py", "".join(text.replace("def ", f"def f{number}_") for number in range(copies)))
        _put(long / "short.py", text)
        many, largest = (_peak(folder) for folder in (self.relevant_tree, long))
        return f"{many:.0f} MiB over {len(self.scripts)} scripts, {largest:.0f} MiB with a file of 5,000 lines"

    def _ratio(self, one: Callable[[], float], other: Callable[[], float]) -> float:
        return statistics.median(one() / other() for _ in range(self.rounds))


def _goldens() -> list[str]:
    sources = (case.source for case in cases() if case.project is None and _plain(case.source))
    return sorted(sources, key=len, reverse=True)[:RELEVANT]


def _scripts(folders: list[Path]) -> list[str]:
    """Training scripts of some length, drawn at random, the same ones each time."""
    paths = sorted(path for folder in folders for path in folder.rglob("*.py"))
    random.Random(0).shuffle(paths)
    texts = (path.read_text(encoding="utf-8", errors="ignore") for path in paths)
    known = (text for text in texts if 50 <= text.count("\n") <= 1500 and text.endswith("\n"))
    fit = (text for text in known if ".backward()" in text and _plain(text))
    return list(islice(fit, RELEVANT))


def _plain(source: str) -> bool:
    try:
        compile(source, "", "exec")
    except SyntaxError:
        return False
    return "cuda" in source


def _irrelevant(folders: list[Path]) -> Iterator[bytes]:
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            data = path.read_bytes()
            if b"torch" not in data and b"cuda" not in data:
                yield data


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _command(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "migrate.cli", *words)


def _run(words: tuple[str, ...]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT.parent)}
    done = subprocess.run(words, capture_output=True, env=environment)
    assert done.returncode in (0, 1, 2), done.stderr


def _cpu(*words: str) -> float:
    """Seconds of CPU of a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _wall(*words: str) -> float:
    begin = time.perf_counter()
    _run(words)
    return time.perf_counter() - begin


def _shares(folder: Path) -> tuple[float, float, float]:
    """Seconds of CPU of a run over a folder without workers; with two, of the process that is started and of them."""
    code = (
        "import os, resource, sys\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from migrate.cli import main\n"
        "try:\n    main(['--check', '--no-cache', '-j', sys.argv[1], sys.argv[2]])\nexcept SystemExit:\n"
        "    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):\n"
        "        used = resource.getrusage(who)\n        print(used.ru_utime + used.ru_stime, file=sys.stderr)"
    )
    times: list[float] = []
    for jobs in "12":
        words = [sys.executable, "-c", code, jobs, str(folder)]
        done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT.parent, check=True)
        times += map(float, done.stderr.splitlines()[-2:])
    return times[0], times[2], times[3]


def _own(work: Callable[[], object]) -> float:
    """Seconds of CPU of this process, and of those it has started and seen the end of."""
    before = _used()
    work()
    return _used() - before


def _used() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def _peak(folder: Path) -> float:
    """MiB that the largest process of a run over a folder takes: one that does all the work, be it a worker."""
    code = (
        "import resource, sys\nfrom migrate.cli import main\n"
        "try:\n    main(['--check', '--no-cache', '-j', '1', sys.argv[1]])\nexcept SystemExit:\n"
        "    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)\n"
        "    print(max(resource.getrusage(who).ru_maxrss for who in both), file=sys.stderr)"
    )
    words = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT.parent)
    return int(done.stderr.splitlines()[-1]) / 1024


if __name__ == "__main__":
    main()
