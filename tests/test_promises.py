"""The promises that hold for every golden, however its text is laid out and in whatever order codemods run."""

from __future__ import annotations

import ast
import difflib
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest import mock

import libcst as cst
import pytest
from libcst.codemod import CodemodContext

import migrate.libcst_commands as commands
from migrate.pipeline import migrate
from migrate.registry import ALL, Selection, codemods
from tests.goldens import TARGETS, Case, cases, parses
from tests.visits import Visit

HOUSE = Path(__file__).parent.parent
CASES = cases()
WHOLE = [case for case in CASES if case.alone is ALL]


def _one_target(case: Case) -> str:
    """Half of the goldens for one target and half for the other, where both would tell the same twice."""
    return sorted(TARGETS)[len(case.id) % 2]


VISIT = Visit()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_keeps_every_promise(case: Case) -> None:
    VISIT.of(case)


# --- one codemod, two runners -------------------------------------------------------------------------------------


@VISIT.once
def libcst_runner_gives_the_same_bytes(case: Case) -> None:
    if case.alone is ALL or "tc-migrate:" in case.source:
        return
    (name,) = case.alone.select
    target = _one_target(case)
    codemod = next(codemod for codemod in codemods() if codemod.name() == name)
    try:
        tree = cst.parse_module(case.source)
    except cst.ParserSyntaxError:
        return  # LibCST's runner does not get to the codemod either
    command = getattr(commands, codemod.__name__)(CodemodContext(), target=TARGETS[target].name)
    assert command.transform_module(tree).code == case.migrated(target).result


def test_libcst_runner_itself(tmp_path: Path) -> None:
    case = next(case for case in cases("autocast") if case.output("smtc").exists())
    script = tmp_path / "train.py"
    script.write_bytes(case.path.read_bytes())
    words = ["-m", "libcst.tool", "codemod", "--no-format", "--hide-progress", "-x"]
    words += ["migrate.libcst_commands.Autocast", "--target", "smtc", str(script)]
    done = subprocess.run([sys.executable, *words], cwd=HOUSE, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert script.read_bytes() == case.output("smtc").read_bytes()


# --- order within a stage -----------------------------------------------------------------------------------------


@VISIT.for_each_target
def codemods_of_a_stage_commute(case: Case, target: str) -> None:
    if case.alone is not ALL:
        return
    first = case.migrated(target)  # kept by the case: not to be made with the codemods turned round
    turned = list(reversed(codemods()))
    turned.sort(key=lambda codemod: codemod.STAGE)
    with mock.patch("migrate.pipeline.codemods", return_value=turned):
        other = migrate(case.source, path=case.path.name, target=TARGETS[target], links=case.links())
    assert other.result == first.result
    # Of a value in a circle, `model[name] = wrapped(model[name])`, the chain is told from where it was asked for first.
    assert {replace(each, evidence=()) for each in other.changes} == {
        replace(each, evidence=()) for each in first.changes
    }
    assert set(other.notes) == set(first.notes)


# --- what the user ruled out --------------------------------------------------------------------------------------


@VISIT.once
def with_every_rule_ignored_nothing_happens(case: Case) -> None:
    if case.alone is not ALL or not parses(case.source):
        return
    migration = migrate(case.source, target=TARGETS["smtc"], select=Selection(ignore=frozenset({"TC", "SM", "LC"})))
    assert (migration.result, migration.changes, migration.notes) == (case.source, (), ())


@VISIT.once
def switched_off_by_a_comment(case: Case) -> None:
    if case.alone is not ALL:
        return
    source = "# tc-migrate: off\n" + case.source
    assert migrate(source, target=TARGETS["smtc"]).result == source


@VISIT.for_each_target
def one_codemod_alone_reports_only_its_own_rules(case: Case, target: str) -> None:
    if case.alone is ALL:
        return
    (name,) = case.alone.select
    migration = case.migrated(target)
    assert {found.codemod for found in (*migration.changes, *migration.notes)} <= {name}


# --- the same script in other layouts -----------------------------------------------------------------------------


def _other_line_ends(text: str) -> str:
    plain = text.replace("\r\n", "\n")
    return plain if "\r\n" in text else plain.replace("\n", "\r\n")


def _tabs(text: str) -> str:
    return re.sub(r"^(?: {4})+", lambda match: "\t" * (len(match[0]) // 4), text, flags=re.MULTILINE)


def _without_last_line_end(text: str) -> str:
    return _other_line_ends(text).rstrip("\r\n")


@VISIT.once
def tabs_make_no_difference(case: Case) -> None:
    _same_in(_tabs, case)


@VISIT.once
def line_ends_make_no_difference(case: Case) -> None:
    _same_in(_without_last_line_end, case)


def _same_in(layout: Callable[[str], str], case: Case) -> None:
    source = layout(case.source)
    target = _one_target(case)
    if case.migrated(target).result == case.source or source == case.source or not parses(source):
        return
    links = case.links(layout)
    migration = migrate(source, path=case.path.name, target=TARGETS[target], select=case.alone, links=links)
    assert migration.result == layout(case.migrated(target).result)
    assert migration.notes == case.migrated(target).notes


# --- what the user wrote around the code --------------------------------------------------------------------------


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(text, newline="").readline))


def _comments(text: str, *, alone: bool) -> list[tuple[str, int]]:
    """The comments of a script on lines of their own, or those beside code, with their lines."""
    return [
        (token.string.rstrip(), token.start[0])
        for token in _tokens(text)
        if token.type == tokenize.COMMENT and (token.line[: token.start[1]].strip() == "") is alone
    ]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def _shrunk(source: str, result: str) -> set[int]:
    """The 1-based lines of `source` that became fewer lines: what stood beside them may be gone with them."""
    matcher = difflib.SequenceMatcher(None, _lines(source), _lines(result), autojunk=False)
    return {
        line + 1
        for _, first, last, begin, end in matcher.get_opcodes()
        if last - first > end - begin
        for line in range(first, last)
    }


def _block_is_gone(source: str, result: str, line: int) -> bool:
    """Whether nothing is left of the block that a comment stands in: neither its head nor a line of it."""
    lines = source.splitlines()
    depth = _depth(lines[line - 1])
    first = last = line - 1
    while first >= 0 and (not lines[first].strip() or _depth(lines[first]) >= depth):
        first -= 1
    while last < len(lines) and (not lines[last].strip() or _depth(lines[last]) >= depth):
        last += 1
    left = Counter(_lines(source)) - Counter(_lines(result))
    block = [text.strip() for text in lines[max(first, 0) : last]]
    return depth > 0 and all(text in left for text in block if text and not text.startswith("#"))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


@VISIT.for_each_target
def comments_on_their_own_line_survive(case: Case, target: str) -> None:
    """All but those inside a block of which nothing is left."""
    result = case.migrated(target).result
    if result == case.source or not parses(case.source):
        return
    left = Counter(text for text, _ in _comments(result, alone=True))
    gone = [(text, line) for text, line in _comments(case.source, alone=True) if text not in left]
    assert [text for text, line in gone if not _block_is_gone(case.source, result, line)] == []


@VISIT.for_each_target
def comments_beside_code_go_only_with_a_line(case: Case, target: str) -> None:
    result = case.migrated(target).result
    if result == case.source or not parses(case.source):
        return
    left = {text for alone in (True, False) for text, _ in _comments(result, alone=alone)}
    gone = [(text, line) for text, line in _comments(case.source, alone=False) if text not in left]
    shrunk = _shrunk(case.source, result) if gone else set()
    assert [text for text, line in gone if line not in shrunk] == []


_ABOUT_CUDA = re.compile(
    "cuda|gpu|nccl|gloo|smddp|cpu|mps|env://|horovod|RANK|WORLD_SIZE|MASTER_|SLURM_|OMPI_|SM_HOSTS|PCI_BUS_ID"
    r"|pin_memory|module|amp|scaler?|fused|O[0-3]|__main__|tcp://|127\.0\.0\.1|^device$|^-?\d*$",
    re.IGNORECASE,
)
"""Strings that name what a migration takes away: devices, backends, the launcher's variables and their defaults."""


_NAMES_OF_TENSORS = re.compile(_ABOUT_CUDA.pattern + "|^x$", re.IGNORECASE)
"""Horovod is given a name with every tensor; torch_xla takes none."""


_MENDS_STRINGS = ("TC742", "TC744", "LC15", "TC401")
"""Rules that are about a string: a command line that becomes a list, a message that lacks its `f`, the name of a group
of machines, a step that is asked for by its name."""
_ABOUT_A_JOB = re.compile(
    r"(py)?\d+(\.\d+)*|(transformers|pytorch)_version|train_\w+|.*\.dkr\.ecr\..*|[\w/]+\.py|smdistributed|dataparallel|"
    r"mpi|processes_per_host|torch_distributed|torchxla|enabled|debug"
)
"""What a SageMaker launcher says of how its job is run: versions, images, entry points, how processes are started."""


def _strings(text: str) -> list[tuple[str, int]]:
    """The strings of a script, f-strings in pieces, with their lines."""
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return [(node.value, node.lineno) for node in found if isinstance(node.value, str)]


@VISIT.for_each_target
def strings_stay_as_they_are(case: Case, target: str) -> None:
    """Messages, paths, keys and docstrings: all that is on a line that stays, and does not name what goes."""
    migration = case.migrated(target)
    result = migration.result
    if result == case.source or not parses(case.source):
        return
    left = {text for text, _ in _strings(result)}
    mended = {change.line for change in migration.changes if change.rule in _MENDS_STRINGS}
    about_cuda = _NAMES_OF_TENSORS if case.id.startswith("horovod/") else _ABOUT_CUDA
    gone = [(text, line) for text, line in _strings(case.source) if text not in left and not about_cuda.search(text)]
    if any(change.rule.startswith(("SM", "LC")) for change in migration.changes):
        gone = [(text, line) for text, line in gone if not _ABOUT_A_JOB.fullmatch(text)]
    shrunk = _shrunk(case.source, result) if gone else set()
    assert [text for text, line in gone if line not in shrunk and line not in mended] == []


# --- two runs -----------------------------------------------------------------------------------------------------


def test_two_runs_say_the_same_to_the_letter() -> None:
    """In a process with other hashes: what comes out must not hang on the order of a set."""
    names = [case.id for case in WHOLE[:12]]
    code = (
        "from tests.goldens import cases\n"
        f"for case in cases():\n    if case.id in {names!r}:\n"
        "        found = case.migrated('smtc')\n"
        "        print(repr((found.result, found.changes, found.notes)))\n"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", code], cwd=HOUSE, env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True, text=True, timeout=200, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert told[0] == told[1]
    assert told[0]
