"""The rebuild: edits compose, and what the user wrote around them survives."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst
import pytest

from codemods.kit import build
from codemods.kit.edits import Edit, Edits, unwrapped
from codemods.kit.rules import Rule, Safety, Stage
from codemods.kit.script import read
from codemods.kit.targets import SMTC

RULE = Rule("TC000", "a rule of the tests", Safety.EXACT)


def begin(source: str) -> tuple[Edits, Edit]:
    script = read(cst.parse_module(dedent(source)))
    edits = Edits(script, SMTC)
    return edits, edits.edit("tests", Stage.STEP, RULE, script.module.body[0], "an edit")


def call(edits: Edits, name: str) -> cst.Call:
    return next(c for c in edits.script.tree.all(cst.Call) if build.code_of(c.func) == name)


def test_inner_and_outer_edits_compose() -> None:
    edits, edit = begin("net = DDP(Net().cuda(gpu), device_ids=[gpu])\n")
    edit.replace(call(edits, "DDP"), lambda updated: updated.args[0].value)
    edit.replace(call(edits, "Net().cuda"), lambda updated: build.expression("{x}.to(device)", x=updated.func.value))
    assert edits.apply().code == "net = Net().to(device)\n"


def test_nothing_asked_gives_the_source_module_itself() -> None:
    edits, _ = begin("x = 1\n")
    assert edits.apply() is edits.script.module


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("a()\ngo()  # gone\nb()\n", "a()\nb()\n", id="a line goes with its own comment"),
        pytest.param("a()\n\ngo()\nb()\n", "a()\n\nb()\n", id="a blank line above it stays"),
        pytest.param("a()\n# about go\ngo()\nb()\n", "a()\n# about go\nb()\n", id="a comment above it stays"),
        pytest.param("if x:\n    go()\nb()\n", "b()\n", id="an if left empty goes"),
        pytest.param("if x:\n    go()\nelse:\n    c()\n", "if not x:\n    c()\n", id="its else does not"),
        pytest.param("if x:\n    c()\nelse:\n    go()\n", "if x:\n    c()\n", id="an else left empty goes"),
        pytest.param("if check():\n    go()\nb()\n", "if check():\n    pass\nb()\n", id="a condition that acts stays"),
        pytest.param("for i in y:\n    go()\nb()\n", "b()\n", id="a loop left empty goes"),
        pytest.param("for i in take():\n    go()\n", "for i in take():\n    pass\n", id="a loop that acts passes"),
        pytest.param("a(); go(); b()\n", "a(); b()\n", id="one of several on a line"),
        pytest.param("if x: go()\nb()\n", "b()\n", id="a one-line if"),
        pytest.param(
            "def f():\n    # why\n    go()\n", "def f():\n    # why\n    pass\n", id="a comment alone in a block"
        ),
        pytest.param(
            "def f():\n    a()\n    # last\n    go()\n", "def f():\n    a()\n    # last\n", id="a comment at the end"
        ),
        pytest.param("if x:\r\n\tgo()\r\nb()\r\n", "b()\r\n", id="line ends and tabs as they were"),
    ],
)
def test_remove(source: str, expected: str) -> None:
    edits, edit = begin(source)
    edit.remove(call(edits, "go"))
    assert edits.apply().code == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            "a()\n\n# note\ngo()\n", "a()\n\nnew()\n# note\ngo()\nold()\n", id="the comment stays with its line"
        ),
        pytest.param("a(); go(); b()\n", "a()\nnew()\ngo()\nold()\nb()\n", id="a shared line is split"),
        pytest.param("if x: go()\n", "if x:\n    new()\n    go()\n    old()\n", id="a one-line if becomes a block"),
        pytest.param(
            "x = [go() for i in y]\n", "new()\nx = [go() for i in y]\nold()\n", id="beside the whole statement"
        ),
        pytest.param("while go():\n  b()\n", "new()\nwhile go():\n  b()\nold()\n", id="beside the loop of a condition"),
    ],
)
def test_before_and_after(source: str, expected: str) -> None:
    edits, edit = begin(source)
    edit.before(call(edits, "go"), "new()")
    edit.after(call(edits, "go"), "old()")
    assert edits.apply().code == expected


def test_unwrapping_keeps_comments_and_strings() -> None:
    source = '''\
        def f():
            # why
            with go():  # head
                a = """
            text"""
                b()
            c()
        '''
    edits, edit = begin(source)
    with_ = edits.script.tree.all(cst.With)[0]
    edit.replace(with_, unwrapped)
    assert edits.apply().code == dedent('''\
        def f():
            # why
            # head
            a = """
            text"""
            b()
            c()
        ''').replace("    text", "    text")


def test_an_edit_ruled_out_does_nothing() -> None:
    script = read(cst.parse_module("go()\n"))
    edits = Edits(script, SMTC, lambda rule, codemod, line: False)
    edit = edits.edit("tests", Stage.STEP, RULE, script.module.body[0], "an edit")
    edit.remove(call(edits, "go"))
    edit.before(call(edits, "go"), "new()")
    assert not edit.allowed
    assert edits.apply().code == "go()\n"
    assert edits.changes == []


def test_a_device_is_defined_once_where_it_is_first_needed() -> None:
    edits, edit = begin(
        "def f(x):\n    y = 1\n    a(x)\n    b(x)\n\n\ndef g(device):\n    c(device)\n    x.to(device)\n"
    )
    for name in ("a", "b", "c"):
        found = call(edits, name)
        device = edit.device(found)
        edit.replace(found, lambda updated, device=device: build.expression("{f}({d})", f=updated.func, d=device))
    assert edits.apply().code == (
        "import torch_xla.core.xla_model as xm\n\n\n"
        "def f(x):\n    y = 1\n    device = xm.xla_device()\n    a(device)\n    b(device)\n\n\n"
        "def g(device):\n    c(device)\n    x.to(device)\n"
    )


def test_an_import_without_names_goes() -> None:
    edits, edit = begin("from a import b\nfrom c import d, e\nx = 1\n")
    for alias in edits.script.tree.all(cst.ImportAlias):
        if alias.evaluated_name in ("b", "d"):
            edit.remove(alias)
    assert edits.apply().code == "from c import e\nx = 1\n"
