"""Targets and their phrases: what a target can say is Python, is imported, and exists in its torch_xla version."""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from codemods.kit.api import accepts, lookup
from codemods.kit.phrases import PHRASES, Idiom, Import, Phrase
from codemods.kit.targets import ALL, SMTC, XLA, Launcher, Target
from tests.xla_names import check_names

CODEMODS = sorted((Path(__file__).parent.parent / "codemods").glob("*.py"))
each_idiom = pytest.mark.parametrize("idiom", Idiom, ids=lambda idiom: idiom.name)
# An optimizer class is a name after a dot; everything else in a hole is a value.
VALUES = {"name": "SGD", "args": "(1, 2)", "seed": "7", "source": "0", "tag": '"tag"', "arguments": "enabled=flag",
          "over": "for value in over"}  # fmt: skip
PRINTED = {"arguments": "text, flush=flag"}


def spoken(idiom: Idiom) -> Iterator[tuple[Target, Phrase]]:
    return ((target, target.phrase(idiom)) for target in ALL if target.has(idiom))


def filled(phrase: Phrase) -> str:
    values = VALUES | PRINTED if "print" in phrase.code else VALUES
    return phrase.fill(**{hole: values.get(hole, hole) for hole in phrase.holes})


def script(phrase: Phrase) -> str:
    return "\n".join([*(each.statement for each in phrase.imports), filled(phrase)]) + "\n"


# --- targets ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("smtc", "smtc", (1, 13)),
        ("SMTC", "smtc", (1, 13)),
        ("smtc==1.13", "smtc", (1, 13)),
        ("smtc==1.13.1", "smtc", (1, 13)),
        ("smtc==1.11", "smtc==1.11", (1, 11)),
        ("torch-xla", "torch-xla==2.9", (2, 9)),
        ("torch_xla==2.9.0", "torch-xla==2.9", (2, 9)),
        (" torch-xla == 2.1 ", "torch-xla==2.1", (2, 1)),
    ],
)
def test_parse(text: str, name: str, version: tuple[int, int]) -> None:
    target = Target.parse(text)
    assert (target.name, target.version, str(target)) == (name, version, name)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("smct", "smtc"),
        ("smtc==1.10", "smtc==1.11"),
        ("smtc==1.14", "smtc"),
        ("torch-xla==2.10", "torch-xla==2.9"),
        ("torch-xla==2.0", "torch-xla==2.1"),
        ("torch-xla==3.0", "torch-xla==2.9"),
        ("torchxla==2.8", "torch-xla==2.8"),
        ("torch-xla=2.8", "torch-xla==2.8"),
        ("xla", "torch-xla"),
    ],
)
def test_parse_names_the_nearest_target(text: str, nearest: str) -> None:
    with pytest.raises(ValueError, match="unknown target") as caught:
        Target.parse(text)
    assert f"the nearest is {nearest!r}" in str(caught.value)


def test_parse_survives_any_text() -> None:
    for text in ("", "==", "\n", "smtc==", "smtc==1.13.1.1", "é" * 1000):
        with pytest.raises(ValueError, match="unknown target"):
            Target.parse(text)


def test_every_target_is_parsed_from_its_name() -> None:
    assert [Target.parse(target.name) for target in ALL] == list(ALL)
    assert [target.version for target in ALL] == sorted({target.version for target in ALL})
    assert {SMTC, XLA} <= set(ALL)


def test_the_launcher_and_python_of_a_target() -> None:
    assert {target.launcher for target in ALL if target.version < (2, 0)} == {Launcher.SAGEMAKER}
    assert {target.launcher for target in ALL if target.version > (2, 0)} == {Launcher.TORCH_XLA}
    assert SMTC.python == (3, 8)
    assert all(old.python <= new.python for old, new in pairwise(ALL))


def test_a_target_is_a_value() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SMTC.name = "other"  # type: ignore[misc]


# --- what each target can say -----------------------------------------------------------------------------------


def test_the_table_covers_every_idiom_without_overlap() -> None:
    assert set(PHRASES) == set(Idiom)
    for idiom, rows in PHRASES.items():
        assert all(row.since <= row.until for row in rows), idiom
        assert all(old.until < new.since for old, new in pairwise(rows)), idiom
        for row in rows:
            assert any(row.since <= target.version <= row.until for target in ALL), (idiom, row)


@pytest.mark.parametrize(
    ("idiom", "since", "until"),
    [
        (Idiom.DEVICE, (1, 11), (2, 9)),
        (Idiom.GRAD_SCALER, (1, 11), (1, 13)),
        (Idiom.SYNCFREE, (1, 11), (1, 13)),
        (Idiom.CHECKPOINT, (1, 12), (2, 9)),
        (Idiom.BROADCAST, (1, 11), (2, 9)),
        (Idiom.MODEL_SYNC, (1, 13), (2, 9)),
        (Idiom.BROADCAST_MASTER_PARAM, (2, 1), (2, 9)),
        (Idiom.BF16_SUPPORTED, (2, 1), (2, 9)),
    ],
)
def test_who_can_say_it(idiom: Idiom, since: tuple[int, int], until: tuple[int, int]) -> None:
    assert [t for t in ALL if t.has(idiom)] == [t for t in ALL if since <= t.version <= until]


def test_custom_autograd_functions_wait_for_torch_2_4() -> None:
    for idiom in (Idiom.CUSTOM_FWD, Idiom.CUSTOM_FWD_CAST, Idiom.CUSTOM_BWD):
        assert {t.version for t in ALL if not t.has(idiom)} == {(2, 1), (2, 2), (2, 3)}


def test_what_is_lacking_is_said_clearly() -> None:
    with pytest.raises(LookupError, match=r"torch-xla==2\.9 has no GRAD_SCALER \(the gradient scaler\)") as caught:
        XLA.phrase(Idiom.GRAD_SCALER)
    assert not isinstance(caught.value, KeyError), "a KeyError prints its text in quotes"


@pytest.mark.parametrize(
    ("target", "idiom", "code"),
    [
        ("smtc", Idiom.DEVICE, "xm.xla_device()"),
        ("torch-xla==2.2", Idiom.DEVICE, "xm.xla_device()"),
        ("torch-xla==2.3", Idiom.DEVICE, "torch_xla.device()"),
        ("smtc", Idiom.SYNCHRONIZE, "xm.mark_step()\nxm.wait_device_ops()"),
        ("torch-xla==2.4", Idiom.SYNCHRONIZE, "xm.mark_step(wait=True)"),
        ("torch-xla==2.4", Idiom.MARK_STEP, "torch_xla.sync()"),
        ("torch-xla==2.5", Idiom.SYNCHRONIZE, "torch_xla.sync(wait=True)"),
        ("smtc", Idiom.OPTIMIZER_STEP_CLOSURE, 'xm.optimizer_step(optimizer, optimizer_args={"closure": closure})'),
        ("smtc", Idiom.AUTOCAST, "autocast(enabled=flag)"),
        ("torch-xla==2.9", Idiom.AUTOCAST, 'torch.autocast("xla", dtype=torch.bfloat16, enabled=flag)'),
        ("torch-xla==2.4", Idiom.LAUNCH, "xmp.spawn(function)"),
        ("torch-xla==2.5", Idiom.LAUNCH, "torch_xla.launch(function)"),
    ],
)
def test_spelling(target: str, idiom: Idiom, code: str) -> None:
    assert filled(Target.parse(target).phrase(idiom)) == code


@each_idiom
def test_phrase_is_python_of_the_targets_age(idiom: Idiom) -> None:
    for target, phrase in spoken(idiom):
        ast.parse(script(phrase), feature_version=target.python)
        compile(script(phrase), f"{target} {idiom.name}", "exec")


@each_idiom
def test_names_and_signatures_exist(idiom: Idiom) -> None:
    assert [problem for target, phrase in spoken(idiom) for problem in check_names(script(phrase), target)] == []


@each_idiom
def test_nothing_deprecated_is_said(idiom: Idiom) -> None:
    for target, phrase in spoken(idiom):
        modules = {each.bound: each.module for each in phrase.imports if each.name is None}
        for node in ast.walk(ast.parse(filled(phrase))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                symbol = lookup(f"{modules[node.value.id]}.{node.attr}", target.version)
                assert symbol is None or not symbol.deprecated, (target, symbol)


@each_idiom
def test_imports_bind_what_the_code_uses(idiom: Idiom) -> None:
    for target, phrase in spoken(idiom):
        names = [node for node in ast.walk(ast.parse(filled(phrase))) if isinstance(node, ast.Name)]
        stored = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        used = {node.id for node in names} - stored - phrase.holes - {"flag", "text"} - set(dir(builtins))
        assert used == {each.bound for each in phrase.imports}, target


@each_idiom
def test_an_expression_can_stand_for_a_call(idiom: Idiom) -> None:
    """`-{phrase} ** 2` must not pull the phrase apart."""
    for target, phrase in spoken(idiom):
        code = filled(phrase)
        tree = ast.parse(code).body
        if len(tree) == 1 and isinstance(tree[0], ast.Expr):
            operand = ast.parse(f"-{code} ** 2", mode="eval").body
            assert isinstance(operand, ast.UnaryOp), target
            assert isinstance(operand.operand, ast.BinOp), target
            assert ast.dump(operand.operand.left) == ast.dump(tree[0].value), target
        else:
            of_statements = (Idiom.SYNCHRONIZE, Idiom.FETCH_AND_REDUCE, Idiom.REDUCE_ADDED_UP, Idiom.REDUCE_FILLED,
                             Idiom.MODEL_SYNC)  # fmt: skip
            assert idiom in of_statements


# --- phrases and imports ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "statement", "bound"),
    [
        (Import("torch_xla"), "import torch_xla", "torch_xla"),
        (Import("torch_xla.core.xla_model", alias="xm"), "import torch_xla.core.xla_model as xm", "xm"),
        (Import("torch_xla.amp", "syncfree"), "from torch_xla.amp import syncfree", "syncfree"),
        (Import("torch_xla.core", "xla_model", "xm"), "from torch_xla.core import xla_model as xm", "xm"),
        (Import("torch_xla.utils.checkpoint"), "import torch_xla.utils.checkpoint", "torch_xla"),
    ],
)
def test_import(wanted: Import, statement: str, bound: str) -> None:
    assert (wanted.statement, wanted.bound) == (statement, bound)


def test_fill() -> None:
    phrase = Phrase("f(1{comma_arguments}, {{2: {x}}})")
    assert phrase.holes == {"arguments", "x"}
    assert phrase.fill(arguments="", x="y") == "f(1, {2: y})"
    assert phrase.fill(arguments="a, b=c", x="y", unknown="z") == "f(1, a, b=c, {2: y})"
    with pytest.raises(LookupError, match="no value for arguments, x"):
        phrase.fill()


def test_a_value_is_not_filled_again() -> None:
    assert Phrase("f({x}, {y})").fill(x='f"{y}"', y="{x}") == 'f(f"{y}", {x})'


# --- the data ---------------------------------------------------------------------------------------------------


def test_lookup_knows_the_version() -> None:
    assert lookup("torch_xla.core.xla_model.xrt_world_size", (2, 6)) is not None
    assert lookup("torch_xla.core.xla_model.xrt_world_size", (2, 7)) is None
    assert lookup("torch_xla.runtime", (1, 13)) is None
    assert lookup("torch_xla.runtime", (2, 1)).kind == "module"  # type: ignore[union-attr]
    assert lookup("torch_xla.core.xla_model.mark_step", (2, 8)).deprecated  # type: ignore[union-attr]
    assert lookup("torch.nn.Module", (2, 9)) is None


@pytest.mark.parametrize(
    ("name", "positional", "keywords", "reason"),
    [
        ("optimizer_step", 1, ["barrier"], None),
        ("optimizer_step", 6, [], "takes 5 positional"),
        ("optimizer_step", 0, [], "missing optimizer"),
        ("optimizer_step", 0, ["optimizer"], None),
        ("optimizer_step", 1, ["optimizer"], "'optimizer' twice"),
        ("optimizer_step", 1, ["closure"], "no parameter 'closure'"),
        ("master_print", 9, ["flush"], None),
        ("master_print", 1, ["sep"], "no parameter 'sep'"),
        ("REDUCE_SUM", 0, [], "not callable"),
    ],
)
def test_accepts(name: str, positional: int, keywords: list[str], reason: str | None) -> None:
    symbol = lookup(f"torch_xla.core.xla_model.{name}", (2, 9))
    assert symbol is not None
    found = accepts(symbol, positional, keywords)
    assert found is None if reason is None else reason in (found or "")


def test_a_call_that_unpacks_may_hold_what_is_missing() -> None:
    symbol = lookup("torch_xla.core.xla_model.reduce_scatter", (1, 13))
    assert symbol is not None
    assert accepts(symbol, 1, []) is not None
    assert accepts(symbol, 1, [], unpacks=True) is None
    assert accepts(symbol, 1, ["nothing"], unpacks=True) is not None


# --- codemods ask for idioms ------------------------------------------------------------------------------------


def reads_of_target(source: str) -> list[str]:
    """Where a codemod looks at which target it is for, instead of at what the target can say."""
    tree = ast.parse(source)
    ours = {"self.target", "self._edits.target"}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None and "Target" in _names(node.annotation):
            ours.add(node.arg)
        elif isinstance(node, ast.Assign) and ast.unparse(node.value) in ours:
            ours.update(ast.unparse(each) for each in node.targets)
    reads = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ours]
    found = [node for node in reads if node.attr in {"name", "version", "python"}]
    return [f"line {node.lineno}: {ast.unparse(node)}" for node in sorted(found, key=lambda node: node.lineno)]


def _names(annotation: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}


def test_the_search_finds_reads() -> None:
    source = """
if self.target.version > (2, 0): pass
def wants(target: Target | None): return target.name == "smtc"
def wants(chosen: Target): return chosen.has(idiom)
mine = self.target
mine.python
self.name()
assign.target.name
node = self.script.local_function(call); node.name.value
"""
    assert reads_of_target(source) == [
        "line 2: self.target.version",
        "line 3: target.name",
        "line 6: mine.python",
    ]
    assert reads_of_target("target = names.local_function(call)\ntarget.name.value\n") == []


def test_codemods_never_read_the_target() -> None:
    assert CODEMODS
    assert {path.name: reads_of_target(path.read_text("utf-8")) for path in CODEMODS} == {p.name: [] for p in CODEMODS}
