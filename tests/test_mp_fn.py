"""Every migrated script with an `_mp_fn` is started the way the Training Compiler's launcher starts it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.goldens import Case, cases

ENTRY = re.compile(r"^def _mp_fn\(", re.MULTILINE)
CASES = [case for case in cases() if ENTRY.search(case.expected("smtc")) and not ENTRY.search(case.source)]
CASES += [case for case in cases("mp_fn") if case.output("smtc").exists()]
"""Those that got their `_mp_fn` from the tool, and those whose `_mp_fn` it mended."""
WORK = "\n\ndef work():\n    return xm.xla_device()\n"
HEAD = "import argparse\n\nimport torch_xla.core.xla_model as xm\n"


def launched(scripts: dict[str, dict[str, str]]) -> dict[str, dict[str, Any]]:
    """What comes of starting each script; a script is its files, the one to start first."""
    words = [sys.executable, str(Path(__file__).with_name("xla_spawn.py"))]
    ended = subprocess.run(words, input=json.dumps(scripts), capture_output=True, text=True, check=True)
    answers: dict[str, dict[str, Any]] = json.loads(ended.stdout)
    return answers


def files(case: Case) -> dict[str, str]:
    """The migrated script and, of a project, the other migrated files, by their paths where the script is run from."""
    if case.project is None:
        return {"train.py": case.expected("smtc")}
    others = {other.path.relative_to(case.project).as_posix(): other.expected("smtc") for other in cases()
              if other.project == case.project}  # fmt: skip
    own = case.path.relative_to(case.project).as_posix()
    return {own: others.pop(own), **others}


def bound(source: str) -> set[str]:
    """Every name that a script binds anywhere."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
    return found


@cache
def answers() -> dict[str, dict[str, Any]]:
    return launched({case.id: files(case) for case in CASES})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_is_started_by_the_launcher(case: Case) -> None:
    answer = answers()[case.id]
    assert answer["refused"] == ""
    assert [call for call in answer["imported"] if call.startswith("torch_xla")] == [], "touches XLA while imported"
    if answer["missing"]:  # goldens are parts of scripts: what their author never defined is not the tool's to find
        assert answer["missing"].split("'")[1] not in bound(case.source)
        return
    assert answer["called"], "_mp_fn does nothing"


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (f"{HEAD}{WORK}\n\ndef main():\n    work()\n", "no attribute '_mp_fn'"),
        (
            f"{HEAD}args = argparse.ArgumentParser().parse_args(){WORK}\n\ndef _mp_fn(index):\n    work()\n",
            "SystemExit",
        ),
        (f"{HEAD}{WORK}\n\ndef _mp_fn(rank, args):\n    work()\n", "missing 1 required positional argument"),
        (f"{HEAD}{WORK}\n\ndef _mp_fn():\n    work()\n", "takes 0 positional arguments but 1 was given"),
    ],
)
def test_what_the_launcher_refuses(text: str, refused: str) -> None:
    (answer,) = launched({"x": {"train.py": text}}).values()
    assert refused in answer["refused"]


def test_what_only_main_does_is_not_done() -> None:
    guard = '\n\nif __name__ == "__main__":\n    settings = argparse.ArgumentParser().parse_args()\n    work()\n'
    idle = f"{HEAD}{WORK}\n\ndef _mp_fn(index):\n    pass\n{guard}"
    unbound = f"{HEAD}{WORK}\n\ndef _mp_fn(index):\n    work(settings)\n{guard}"
    eager = f"{HEAD}device = xm.xla_device(){WORK}\n\ndef _mp_fn(index):\n    work()\n{guard}"
    right = f"{HEAD}{WORK}\n\ndef _mp_fn(index):\n    work()\n{guard}"
    scripts = {"idle": idle, "unbound": unbound, "eager": eager, "right": right}
    found = launched({name: {"train.py": text} for name, text in scripts.items()})
    assert found["idle"]["called"] == []
    assert found["unbound"]["missing"] == "name 'settings' is not defined"
    assert found["eager"]["imported"] == ["torch_xla.core.xla_model.xla_device"]
    assert (found["right"]["called"], found["right"]["refused"]) == (["torch_xla.core.xla_model.xla_device"], "")
