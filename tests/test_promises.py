"""The promises that hold for every golden, however its text is laid out and in whatever order codemods run."""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import libcst as cst
import pytest
from libcst.codemod import CodemodContext

import migrate.libcst_commands as commands
from migrate.migration import Status
from migrate.pipeline import migrate
from migrate.registry import ALL, Selection, codemods
from tests.goldens import TARGETS, Case, cases

CASES = cases()
WHOLE = [case for case in CASES if case.alone is ALL]
ALONE = [case for case in CASES if case.alone is not ALL]
EACH_TARGET = pytest.mark.parametrize("target", sorted(TARGETS))


def each(found: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", found, ids=lambda case: case.id)


# --- one codemod, two runners -------------------------------------------------------------------------------------


@each([case for case in ALONE if "tc-migrate:" not in case.source])
@EACH_TARGET
def test_libcst_runner_gives_the_same_bytes(case: Case, target: str) -> None:
    (name,) = case.alone.select
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
    words = f"codemod --no-format --hide-progress -j 1 -x migrate.libcst_commands.Autocast --target smtc {script}"
    # Its configuration is looked for upwards of where it runs.
    house = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-m", "libcst.tool", *words.split()],
        cwd=tmp_path, env={"PYTHONPATH": house, "PATH": ""}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert script.read_bytes() == case.output("smtc").read_bytes()


# --- order within a stage -----------------------------------------------------------------------------------------


@each(WHOLE)
@EACH_TARGET
def test_codemods_of_a_stage_commute(case: Case, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    turned = sorted(reversed(codemods()), key=lambda codemod: codemod.STAGE)
    monkeypatch.setattr("migrate.pipeline.codemods", lambda: turned)
    other = migrate(case.source, path=case.path.name, target=TARGETS[target])
    assert other.result == case.migrated(target).result
    assert set(other.changes) == set(case.migrated(target).changes)
    assert set(other.notes) == set(case.migrated(target).notes)


# --- what the user ruled out --------------------------------------------------------------------------------------


@each(CASES)
def test_with_every_rule_ignored_nothing_happens(case: Case) -> None:
    if "python 2" in case.source.lower() or not _parses(case.source):
        return
    migration = migrate(case.source, target=TARGETS["smtc"], select=Selection(ignore=frozenset({"TC"})))
    assert (migration.result, migration.changes, migration.notes) == (case.source, (), ())


@each(WHOLE)
def test_switched_off_by_a_comment(case: Case) -> None:
    source = "# tc-migrate: off\n" + case.source
    assert migrate(source, target=TARGETS["smtc"]).result == source


@each(ALONE)
@EACH_TARGET
def test_one_codemod_alone_reports_only_its_own_rules(case: Case, target: str) -> None:
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
    return text.rstrip("\r\n")


def _with_byte_order_mark(text: str) -> str:
    return "\ufeff" + text


@each(CASES)
@pytest.mark.parametrize("layout", [_other_line_ends, _tabs, _without_last_line_end])
def test_layout_makes_no_difference(case: Case, layout: Callable[[str], str]) -> None:
    source = layout(case.source)
    target = "xla" if len(case.id) % 2 else "smtc"
    if not _parses(source):
        return
    migration = migrate(source, path=case.path.name, target=TARGETS[target], select=case.alone)
    assert migration.result == layout(case.migrated(target).result)
    assert migration.notes == case.migrated(target).notes


# --- what the user wrote around the code --------------------------------------------------------------------------


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(text, newline="").readline))


def _comments(text: str, *, alone: bool) -> Counter[str]:
    return Counter(
        token.string.rstrip()
        for token in _tokens(text)
        if token.type == tokenize.COMMENT and (token.line[: token.start[1]].strip() == "") is alone
    )


@each(CASES)
@EACH_TARGET
def test_comments_on_their_own_line_survive(case: Case, target: str) -> None:
    if _parses(case.source):
        result = case.migrated(target).result
        assert _comments(case.source, alone=True) - _comments(result, alone=True) == Counter()


@each(CASES)
@EACH_TARGET
def test_comments_beside_code_go_only_with_it(case: Case, target: str) -> None:
    result = case.migrated(target).result
    if not _parses(case.source) or result == case.source:
        return
    lost = _comments(case.source, alone=False) - _all_comments(result)
    print(lost)
    assert lost == Counter()


def _all_comments(text: str) -> Counter[str]:
    return _comments(text, alone=True) + _comments(text, alone=False)


def _strings(text: str) -> Counter[str]:
    return Counter(token.string for token in _tokens(text) if token.type == tokenize.STRING)


@each(CASES)
@EACH_TARGET
def test_strings_survive(case: Case, target: str) -> None:
    result = case.migrated(target).result
    if not _parses(case.source) or result == case.source:
        return
    lost = _strings(case.source) - _strings(result)
    assert [s for s in lost if not re.search("cuda|nccl|gloo", s)] == []


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
