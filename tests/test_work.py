"""How much work one migration does, counted: what holds on every machine, however fast or busy it is."""

from __future__ import annotations

import subprocess
import sys

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper

from codemods.kit.targets import SMTC, XLA, Target
from codemods.kit.tree import Tree
from migrate.migration import Status
from migrate.pipeline import migrate
from tests.goldens import Case, cases

SCRIPTS = cases("scripts")
TARGETS = (SMTC, XLA)


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("case", SCRIPTS, ids=lambda case: case.id)
def test_the_script_is_parsed_and_indexed_once(case: Case, target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    indexed: list[cst.Module] = []
    parse, index = cst.parse_module, Tree.__init__

    def counted(source: str, *args: object) -> cst.Module:
        parsed.append(source)
        return parse(source, *args)  # type: ignore[arg-type]

    def recorded(self: Tree, module: cst.Module, *args: object) -> None:
        indexed.append(module)
        index(self, module, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(cst, "parse_module", counted)
    monkeypatch.setattr(Tree, "__init__", recorded)
    migrate(case.source, target=target)
    large = [text for text in parsed if text.count("\n") > 10]  # all else is what edits put in: a line or a few
    assert (len(large), len(indexed)) == (1, 1)


@pytest.mark.parametrize("case", SCRIPTS, ids=lambda case: case.id)
def test_the_result_is_written_once(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[cst.Module] = []
    write = cst.Module._codegen_impl

    def counted(self: cst.Module, state: object) -> None:
        written.append(self)
        write(self, state)  # type: ignore[arg-type]

    monkeypatch.setattr(cst.Module, "_codegen_impl", counted)
    migration = migrate(case.source, target=SMTC)
    assert len(written) == (migration.status is Status.MIGRATED)


@pytest.mark.parametrize("case", SCRIPTS, ids=lambda case: case.id)
def test_nothing_visits_the_module(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """A visit rebuilds every node and costs more than a parse; metadata costs two to eight."""

    def refuse(self: object, *args: object, **keywords: object) -> None:
        raise AssertionError("the module is visited")

    monkeypatch.setattr(cst.Module, "visit", refuse)
    monkeypatch.setattr(MetadataWrapper, "__init__", refuse)
    for target in TARGETS:
        assert migrate(case.source, target=target).status is not Status.FAILED


@pytest.mark.parametrize("case", SCRIPTS, ids=lambda case: case.id)
def test_what_is_migrated_already_is_not_visited(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even a statement of it, and nothing is written."""

    def refuse(self: object, *args: object, **keywords: object) -> None:
        raise AssertionError("a node is visited although nothing changes")

    done = case.expected("xla")
    monkeypatch.setattr(cst.CSTNode, "visit", refuse)
    monkeypatch.setattr(cst.Module, "_codegen_impl", refuse)
    migration = migrate(done, target=XLA)
    assert (migration.status, migration.result) == (Status.UNCHANGED, done) or migration.status in (
        Status.REFUSED,
        Status.SKIPPED,
    )


def test_a_script_without_torch_is_parsed_and_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cst.CSTNode, "visit", lambda self, visitor: pytest.fail("visited"))
    source = "import json\n\n\ndef main():\n    print(json.dumps({}))\n"
    assert migrate(source, target=SMTC).status is Status.UNCHANGED


def test_work_grows_with_the_script_no_faster_than_it_does() -> None:
    """Eight times the functions: at most ten times the calls. What asks every node about every loop shows here."""
    unit = (
        "def step_{i}(model, loader, optimizer, device):\n    for x, y in loader:\n        x = x.to(device)\n"
        "        loss = model(x, y)\n        optimizer.zero_grad()\n        loss.backward()\n"
        "        optimizer.step()\n\n\n"
    )
    head = "import torch\n\n\n"
    one, eight = (head + "".join(unit.format(i=i) for i in range(n)) for n in (4, 32))
    assert _calls(eight) <= 10 * _calls(one)


def _calls(source: str) -> int:
    """How many Python functions a migration calls."""
    migrate(source, target=SMTC)
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        migrate(source, target=SMTC)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import migrate.cli\ntry:\n    migrate.cli.main(['--help'])\nexcept SystemExit:\n    pass",
         {"libcst", "fissix", "rich", "codemods", "sqlite3", "torch"}),
        ("import migrate.pipeline, migrate.registry\nmigrate.registry.codemods()",
         {"libcst.matchers", "libcst.codemod", "fissix", "click", "rich", "sqlite3", "asyncio", "torch"}),
    ],
    ids=["help", "codemods"],
)  # fmt: skip
def test_what_is_not_imported(code: str, absent: set[str]) -> None:
    script = f"import sys\n{code}\nprint(sorted({absent!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
