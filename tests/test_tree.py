"""Where a node stands: lines that agree with Python's own, statements, functions, loops."""

from __future__ import annotations

import ast
from textwrap import dedent

import libcst as cst
import pytest

from codemods.kit.build import code_of
from codemods.kit.tree import Tree, walk
from tests.goldens import Case, cases


def named(tree: Tree, name: str) -> cst.Name:
    return next(node for node in tree.all(cst.Name) if node.value == name)


def tree(source: str) -> Tree:
    return Tree(cst.parse_module(dedent(source)))


@pytest.mark.parametrize(
    ("source", "line"),
    [
        pytest.param("a\nb\nprobe\n", 3, id="plain"),
        pytest.param("f(\n    a,\n    # a comment\n    probe,\n)\n", 4, id="inside brackets"),
        pytest.param("x = a + \\\n    probe\n", 2, id="continued"),
        pytest.param('x = """\n\n""", probe\n', 3, id="after a string of several lines"),
        pytest.param("x = 1; y = 2; probe\n", 1, id="semicolons"),
        pytest.param("x = 1; y = (\n    2); f(\n    probe)\n", 3, id="semicolons over several lines"),
        pytest.param("if a:\n    b\nelif probe:\n    c\n", 3, id="elif"),
        pytest.param("if a:\n    b\nelif c:\n    d\nelse:\n    probe\n", 6, id="else"),
        pytest.param("# x\n\n\n@deco\n@other(\n    1)\ndef probe(): pass\n", 7, id="decorated"),
        pytest.param("# x\n\n@deco\n@other(\n    probe)\n\ndef f(): pass\n", 5, id="decorator"),
        pytest.param("# x\ndef f(\n    a,\n    b=probe,\n): pass\n", 4, id="default"),
        pytest.param("def f(a) -> \\\n    probe: pass\n", 2, id="annotation"),
        pytest.param("for x in f(\n    probe\n):\n    pass\n", 2, id="head of a loop"),
        pytest.param("try:\n    a\nexcept probe:\n    b\n", 3, id="except"),
        pytest.param("try:\n    a\nexcept E:\n    b\nfinally:\n    probe\n", 6, id="finally"),
        pytest.param("with a as b, \\\n     probe as c: pass\n", 2, id="with"),
        pytest.param("if a: b; probe\n", 1, id="one-line if"),
        pytest.param("while a: pass\nelse: probe\n", 2, id="one-line else"),
        pytest.param("match a:\n  # x\n  case 1:\n    pass\n  case 2 if probe:\n    pass\n", 5, id="case"),
        pytest.param("x = lambda: (\n    probe)\n", 2, id="lambda"),
        pytest.param("class A(\n    B,\n    probe): pass\n", 3, id="base class"),
        pytest.param("\ufeff# c\nprobe\n".lstrip("\ufeff"), 2, id="leading comment"),
        pytest.param("a\r\nf(\r\n    probe)\r\n", 3, id="CRLF"),
        pytest.param("a\x0c\nb\nprobe\n", 3, id="form feed"),
        pytest.param("async def f():\n    async for x in y:\n        await (\n            probe)\n", 4, id="async"),
        pytest.param("x = f'{a}' f'''\n{\nprobe}'''\n", 3, id="f-string"),
    ],
)
def test_line(source: str, line: int) -> None:
    found = Tree(cst.parse_module(source))
    assert found.line(named(found, "probe")) == line


def test_the_line_of_a_decorated_function_is_that_of_its_def() -> None:
    found = tree("@a\n@b\ndef f():\n    pass\n@c\nclass A:\n    @d\n    def g(self): pass\n")
    assert [found.line(node) for kind in (cst.FunctionDef, cst.ClassDef) for node in found.all(kind)] == [3, 8, 6]


@pytest.mark.parametrize("case", cases("scripts"), ids=lambda case: case.id)
def test_every_call_is_on_the_line_that_ast_says(case: Case) -> None:
    """Calls in source order of their opening: both trees are walked parents first."""
    try:
        parsed = ast.parse(case.source.removeprefix("\ufeff"))
    except SyntaxError:
        return
    found = Tree(cst.parse_module(case.source))
    ours = sorted(found.line(call) for call in found.all(cst.Call))
    theirs = sorted(node.lineno for node in ast.walk(parsed) if isinstance(node, ast.Call))
    assert ours == theirs


def test_walk_and_all_are_in_source_order() -> None:
    found = tree("a(b)(c)\nd[e] = f.g\n")
    names = [node.value for node in walk(found.module) if isinstance(node, cst.Name)]
    assert sorted(names, key=names.index) == [node.value for node in found.all(cst.Name)]
    assert set(names) == set("abcdefg")


def test_statement_and_small_statement() -> None:
    found = tree("if a:\n    pass\nelif probe:\n    x = f(inner); y = 1\n")
    outer = found.module.body[0]
    assert found.statement(named(found, "probe")) is outer
    assert code_of(found.small_statement(named(found, "inner")) or outer).rstrip("; ") == "x = f(inner)"
    assert isinstance(found.statement(named(found, "inner")), cst.SimpleStatementLine)


@pytest.mark.parametrize(
    ("source", "function"),
    [
        ("def f():\n    probe\n", "f"),
        ("def f(x=probe): pass\n", None),
        ("@probe\ndef f(): pass\n", None),
        ("def f() -> probe: pass\n", None),
        ("def f():\n    def g(x=probe): pass\n", "f"),
        ("def f():\n    class A:\n        y = probe\n", "f"),
        ("def f():\n    return lambda: probe\n", "f"),
        ("probe\n", None),
    ],
)
def test_function(source: str, function: str | None) -> None:
    found = tree(source)
    holder = found.function(named(found, "probe"))
    assert (holder.name.value if holder else None) == function


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("for x in y:\n    probe\n", 1),
        ("for x in probe:\n    pass\n", None),
        ("for x in y:\n    pass\nelse:\n    probe\n", None),
        ("while probe:\n    pass\n", 1),
        ("for x in y:\n    while z:\n        if a:\n            probe\n", 2),
        ("for x in y:\n    for z in probe:\n        pass\n", 1),
        ("for x in y:\n    def f():\n        probe\n", None),
        ("for x in y:\n    f = lambda: probe\n", None),
        ("for x in y:\n    class A:\n        probe\n", None),
    ],
)
def test_loop(source: str, line: int | None) -> None:
    found = tree(source)
    loop = found.loop(named(found, "probe"))
    assert (found.line(loop) if loop else None) == line


def test_inside_is_what_contains_finds() -> None:
    module = cst.parse_module("f(a)\nfor x in g(b):\n    h(i(x))\nelse:\n    j()\nk()\n")
    tree = Tree(module)
    for outer in tree.order:
        for kind in (cst.Call, cst.Name, cst.For, cst.Lambda):
            assert list(tree.inside(outer, kind)) == [node for node in tree.all(kind) if tree.contains(outer, node)]
