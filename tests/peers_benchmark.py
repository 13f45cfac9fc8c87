"""tc-migrate beside other tools that rewrite Python, on the same trees in the same run.

    python -m tests.peers_benchmark --ml FOLDER --other FOLDER [--files 300] [--rounds 3] [--only NAMES]

`--ml` holds repositories of training scripts, `--other` Python that has nothing to do with them (Django, say). Three
trees are made of these: `ml` (files of the first at random), `mixed` (3% training scripts, else the second) and `deep`
(one expression of 2,000 terms between two training scripts). Each tool gets a fresh copy, one process, no cache; each
is installed from PyPI in an environment of its own. CPU seconds of the process with its children, medians over the
rounds; a ratio is the median of the rounds' own ratios, so what else the machine does cancels out.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

HOUSE = Path(__file__).parent.parent
FLOOR = """\
import sys, libcst
for path in sys.argv[1:]:
    try:
        libcst.parse_module(open(path, "rb").read()).bytes
    except Exception:
        pass
"""
TRAINING = re.compile(
    rb"^\s*(?:import|from) torch\b(?s:.*)(?:\.cuda\(|torch\.cuda|[\"']cuda|DistributedDataParallel)", re.MULTILINE
)
DEEP = "import torch\nx = torch.ones(1).cuda()\ny = " + " + ".join(["x"] * 2000) + "\n"
TRAIN = "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\n"
CODEMOD = "pixee:python/fix-deprecated-abstractproperty"
RENAME = ("--old_name=torch.autograd.Variable", "--new_name=torch.as_tensor")


@dataclass(frozen=True)
class Tool:
    """One way of calling a tool."""

    name: str
    package: str
    """On PyPI; empty for this project."""
    words: Callable[[Path, Path], Sequence[str]]
    """The command for an environment's `bin` folder and a tree."""


def _scripts(tree: Path) -> list[str]:
    return [str(path) for path in sorted(tree.rglob("*.py"))]


def _own(*more: str) -> Callable[[Path, Path], Sequence[str]]:
    words = ("-m", "migrate.cli", "--write", "--force", "-j", "1", "--no-cache", *more)
    return lambda bin, tree: (sys.executable, *words, str(tree))


TOOLS = (
    Tool("tc-migrate, pre-filter off", "", _own("--no-prefilter")),
    Tool("tc-migrate", "", _own()),
    Tool("libcst parse + write back", "libcst", lambda bin, tree: (f"{bin}/python", "-c", FLOOR, *_scripts(tree))),
    Tool("pyupgrade", "pyupgrade", lambda bin, tree: (f"{bin}/pyupgrade", "--py38-plus", *_scripts(tree))),
    Tool(
        "PaConvert --no_format",
        "paconvert",
        lambda bin, tree: (f"{bin}/paconvert", "--no_format", "-i", str(tree), "-o", f"{tree}_paddle"),
    ),
    Tool(
        "codemodder, one codemod",
        "codemodder",
        lambda bin, tree: (f"{bin}/codemodder", str(tree), "--codemod-include", CODEMOD, "--max-workers", "1"),
    ),
    Tool(
        "libcst.tool codemod, rename",
        "libcst",
        lambda bin, tree: (
            *(f"{bin}/python", "-m", "libcst.tool", "codemod", "rename.RenameCommand", *RENAME),
            *("--no-format", "-j", "1", str(tree)),
        ),
    ),
    Tool("bump-pydantic", "bump-pydantic", lambda bin, tree: (f"{bin}/bump-pydantic", tree.name)),
)


@dataclass(frozen=True)
class Run:
    """What one run of a tool took."""

    seconds: float
    """CPU, with its children."""
    code: int
    last: str
    """The last line it printed."""


def main() -> None:
    options = _options()
    tools = [tool for tool in TOOLS if not options.only or any(word in tool.name for word in options.only.split(","))]
    bins = {tool.package: _install(tool.package, options.environments) for tool in tools}
    print(f"Python {sys.version.split()[0]}; {', '.join(_versions(bins))}\n")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name, tree in _make_trees(work, options):
            print(f"`{name}`: {len(_scripts(tree))} files, {_lines(tree):,} lines\n")
            _show(_measure(tools, bins, tree, options.rounds if name != "deep" else 1, options.timeout), tools)
        print("Commands:\n")
        for tool in tools:
            shown = [
                os.path.basename(word) if "/bin/" in word else word for word in tool.words(Path("/bin"), Path("TREE"))
            ]
            print(f"- {tool.name}: `{' '.join('...' if word == FLOOR else word for word in shown)}`")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ml", type=Path, required=True)
    parser.add_argument("--other", type=Path, required=True)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="words of the names of tools, with commas between")
    parser.add_argument("--trees", default="ml,mixed,deep")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for one run")
    parser.add_argument("--environments", type=Path, default=Path(tempfile.gettempdir(), "tc-migrate-peers"))
    return parser.parse_args()


def _install(package: str, folder: Path) -> Path:
    """The `bin` folder of the environment of a package; made when it is not there."""
    if not package:
        return Path(sys.executable).parent
    home = folder / package
    if not (home / "installed").exists():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([home / "bin" / "pip", "install", "-q", package], check=True)
        (home / "installed").touch()
    return home / "bin"


def _versions(bins: dict[str, Path]) -> Iterable[str]:
    for package, bin in bins.items():
        name = package or "tc-migrate"
        code = f"from importlib.metadata import version; print(version({name!r}))"
        words = [f"{bin}/python" if package else sys.executable, "-c", code]
        yield f"{name} {subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()}"


def _make_trees(work: Path, options: argparse.Namespace) -> Iterable[tuple[str, Path]]:
    chance = random.Random(1)
    ours = [path for path in sorted(options.ml.rglob("*.py")) if path.is_file() and ".git" not in path.parts]
    others = [path for path in sorted(options.other.rglob("*.py")) if path.is_file()]
    training = [path for path in ours if TRAINING.search(path.read_bytes())]
    few = max(1, options.files * 3 // 100)
    if "ml" in options.trees:
        yield "ml", _copy(work / "ml", {options.ml: chance.sample(ours, min(options.files, len(ours)))})
    if "mixed" in options.trees:
        rest = chance.sample(others, min(options.files - few, len(others)))
        yield "mixed", _copy(work / "mixed", {options.ml: chance.sample(training, few), options.other: rest})
    if "deep" in options.trees:
        tree = work / "deep"
        tree.mkdir()
        for name, text in (("a_train.py", TRAIN), ("deep.py", DEEP), ("z_train.py", TRAIN)):
            (tree / name).write_text(text)
        yield "deep", tree


def _copy(tree: Path, files: dict[Path, list[Path]]) -> Path:
    for root, paths in files.items():
        for path in paths:
            there = tree / path.relative_to(root)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, there)
    return tree


def _measure(
    tools: Sequence[Tool], bins: dict[str, Path], tree: Path, rounds: int, timeout: float
) -> dict[str, list[Run]]:
    found: dict[str, list[Run]] = {tool.name: [] for tool in tools}
    for number in range(rounds):
        for tool in tools:
            copy = tree.with_name(f"{tree.name}_copy")
            shutil.copytree(tree, copy)
            found[tool.name].append(_run(tool.words(bins[tool.package], copy), copy, timeout))
            shutil.rmtree(copy)
            shutil.rmtree(f"{copy}_paddle", ignore_errors=True)
            print(f"round {number + 1}: {tool.name}: {found[tool.name][-1].seconds:.2f} s", file=sys.stderr)
    return found


def _run(words: Sequence[str], folder: Path, timeout: float) -> Run:
    """Run a command to its end. Its environment lets it find this project and keeps it from running ahead."""
    with tempfile.TemporaryFile() as output:
        environment = {**os.environ, "PYTHONPATH": str(HOUSE) if words[0] == sys.executable else ""}
        process = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT, cwd=folder.parent, env=environment)
        killed = time.monotonic() + timeout
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > killed:
                process.kill()
            time.sleep(0.05)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        lines = output.read().decode(errors="replace").strip().splitlines()
    return Run(usage.ru_utime + usage.ru_stime, process.returncode, lines[-1][:100] if lines else "")


def _show(found: dict[str, list[Run]], tools: Sequence[Tool]) -> None:
    """A row for each tool, with its cost as a multiple of each of ours."""
    ours = [tool.name for tool in tools if not tool.package]
    print(f"| tool | CPU s | {' | '.join(f'x {name}' for name in ours)} | exit | last line |")
    print(f"|---|--:|{'--:|' * len(ours)}--:|---|")
    for tool in tools:
        runs = found[tool.name]
        ratios = [
            statistics.median(run.seconds / own.seconds for run, own in zip(runs, found[name], strict=True))
            for name in ours
        ]
        cells = " | ".join(f"{ratio:.2f}" for ratio in ratios)
        seconds = statistics.median(run.seconds for run in runs)
        print(f"| {tool.name} | {seconds:.2f} | {cells} | {runs[-1].code} | {runs[-1].last.replace('|', ' ')} |")
    print()


def _lines(tree: Path) -> int:
    return sum(Path(path).read_bytes().count(b"\n") for path in _scripts(tree))


if __name__ == "__main__":
    main()
