"""A repository made of attacks: on git, on who opens its files, on Python, on a parser, and on who reads about it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bot.app_site import PR
from tests.bot.repositories import git, make_bare
from tests.bot.test_git_attacks import program
from tests.bot.test_settings import BOMB
from tests.bot.test_survey import SCRIPT

SHOUT = b"torch.utils.cpp_extension.load('</details> <!-- tc-migrate:v1 --> @octocat #1 ::error file=a::b')\n"
NAMES = (
    "<img src=x onerror=alert(1)> @octocat #1 `x`.py",
    "::error file=a,line=1::b%0A.py",
    "-rf --force.py",
    "a|b|c.py",
)
"""Of honest scripts. They are shown, and are no more than text."""
IMPORTED = ("setup.py", "conftest.py", "sitecustomize.py", "torch.py", "libcst/__init__.py", "migrate/__init__.py")
"""What Python, a build or pytest would import."""
Entry = tuple[str, bytes]
"""Mode and content; of a `160000`, an id."""


def commit(bare: Path, entries: dict[str, Entry]) -> str:
    """Entries of any mode, in folders."""
    index = str(bare / "made.index")
    for path, (mode, data) in entries.items():
        id = data if mode == "160000" else git(bare, "hash-object", "-w", "--stdin", given=data)
        git(bare, "update-index", "--add", "--cacheinfo", f"{mode},{id.decode()},{path}", GIT_INDEX_FILE=index)
    made = git(bare, "commit-tree", "-m", "made", git(bare, "write-tree", GIT_INDEX_FILE=index).decode()).decode()
    git(bare, "update-ref", "refs/heads/main", made)
    (bare / "made.index").unlink()
    return made


def regular(files: dict[str, bytes]) -> dict[str, Entry]:
    """As files that nobody would think anything of."""
    return {path: ("100644", data) for path, data in files.items()}


def programs(folder: Path, fired: Path) -> dict[str, Entry]:
    """What would run something: in git, in Python, in a notebook, in a build."""
    attack = program(folder, fired)
    config = f'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = "work"\n\tfsmonitor = "{attack}"\n'
    index = str(folder / "index")
    scratch = make_bare(folder / "scratch")
    id = git(scratch, "hash-object", "-w", "--stdin", given=SCRIPT).decode()
    git(scratch, "update-index", "--add", "--cacheinfo", f"100644,{id},train.py", GIT_INDEX_FILE=index)
    python = f"open({str(fired)!r}, 'w').close()\n".encode() + SCRIPT
    source = f"%system touch {fired}\n!touch {fired}\nimport torch\ntorch.ones(1).cuda()\n"
    cell: dict[str, object] = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source,
    }
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    inner = {"HEAD": b"ref: refs/heads/main\n", "config": config.encode(), "objects/x": b"", "refs/x": b"",
             "work/x": b"", "index": Path(index).read_bytes()}  # fmt: skip
    files = {f"in/{path}": data for path, data in inner.items()}
    files |= dict.fromkeys(IMPORTED, python)
    files |= {"run.ipynb": json.dumps(notebook).encode(), ".gitattributes": b"*.py filter=evil diff=evil merge=evil\n",
              ".gitmodules": f'[submodule "sub"]\n\tpath = sub\n\turl = ext::{attack}\n'.encode(),
              "pyproject.toml": f"[build-system]\nrequires = ['x @ file://{attack}']\n".encode(),
              ".pre-commit-config.yaml": f"repos: [{{hooks: [{{entry: {attack}}}]}}]\n".encode()}  # fmt: skip
    hooks = {f"{folder}/{name}": ("100755", attack.read_bytes()) for folder in ("hooks", ".githooks")
             for name in ("post-checkout", "pre-push", "reference-transaction")}  # fmt: skip
    return {**regular(files), **hooks, "sub": ("160000", b"1" * 40)}


def endless() -> dict[str, bytes]:
    """What ends or hangs a parser, or fills the memory."""
    head = b"import torch\ntorch.ones(1).cuda()\nx = "
    expressions = ["[" * 5_000 + "]" * 5_000, "-" * 50_000 + "1", "x" + ".x" * 20_000, "+".join("1" * 50_000)]
    deep = {f"deep{number}.py": head + each.encode() + b"\n" for number, each in enumerate(expressions)}
    return {**deep, "long.py": SCRIPT + b"x = 1\n" * 350_000, "nul.py": SCRIPT + b"\0", "odd.py": b"# \xff\n" + SCRIPT}


def links() -> dict[str, Entry]:
    """What would lead to a file of ours."""
    targets = {
        "leak.py": b"/etc/passwd",
        "leak.ipynb": b"/proc/self/environ",
        "up": b"../../../..",
        "loop.py": b"loop.py",
    }
    return {path: ("120000", target) for path, target in targets.items()}


def careless(folder: Path) -> str:
    """The file of settings of somebody whose git runs whatever hooks and filters the repository brings."""
    attack = folder / "attack.sh"
    file = folder / "gitconfig"
    file.write_text(f'[core]\n\thooksPath = hooks\n[filter "evil"]\n\tsmudge = "{attack}"\n\tclean = "{attack}"\n')
    return str(file)


def hostile(folder: Path, fired: Path) -> dict[str, Entry]:
    """All of it, and one honest script."""
    texts = dict.fromkeys(NAMES, SCRIPT) | {"shout.py": SCRIPT + SHOUT, "line\n::error::.py": SCRIPT}
    bombs = {"tc-migrate.yml": BOMB.encode(), ".github/workflows/bomb.yml": BOMB.encode()}
    honest = {**PR, "honest/train.py": SCRIPT}
    return {**programs(folder, fired), **links(), **regular({**endless(), **texts, **bombs, **honest})}
