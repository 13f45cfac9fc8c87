"""What a name means: every import form, and every way in which a name is not what it looks like."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst
import pytest

from codemods.kit.build import code_of
from codemods.kit.names import argument, canonical
from codemods.kit.script import Script, read


def script(source: str) -> Script:
    return read(cst.parse_module(dedent(source)))


def meaning(source: str, text: str = "probe") -> str | None:
    """What the last expression spelled `text` means; with none given, the argument of `probe(...)`."""
    found = script(source)
    if text == "probe":
        (call,) = [call for call in found.tree.all(cst.Call) if code_of(call.func) == "probe"]
        return found.qualified(call.args[0].value)
    nodes = [node for kind in (cst.Name, cst.Attribute) for node in found.tree.all(kind) if code_of(node) == text]
    return found.qualified(max(nodes, key=found.tree.order.__getitem__))


@pytest.mark.parametrize(
    ("imported", "used", "meant"),
    [
        ("import torch", "torch.cuda.amp.autocast", "torch.cuda.amp.autocast"),
        ("import torch as t", "t.cuda.synchronize", "torch.cuda.synchronize"),
        ("import torch.cuda", "torch.cuda.synchronize", "torch.cuda.synchronize"),
        ("import torch.cuda.amp as amp", "amp.GradScaler", "torch.cuda.amp.GradScaler"),
        ("import torch.nn as nn, torch.optim as optim", "optim.SGD", "torch.optim.SGD"),
        ("from torch import cuda", "cuda.synchronize", "torch.cuda.synchronize"),
        ("from torch import cuda as c", "c.synchronize", "torch.cuda.synchronize"),
        ("from torch.cuda import amp", "amp.autocast", "torch.cuda.amp.autocast"),
        ("from torch.cuda.amp import autocast as ac", "ac", "torch.cuda.amp.autocast"),
        ("from torch.cuda.amp import (\n    autocast,\n    GradScaler,\n)", "GradScaler", "torch.cuda.amp.GradScaler"),
        ("from torch.cuda.amp import *", "autocast", "torch.cuda.amp.autocast"),
        ("from torch import *", "cuda.synchronize", "torch.cuda.synchronize"),
        ("from torch.optim.adam import Adam", "Adam", "torch.optim.Adam"),
        ("from torch.utils.data.dataloader import DataLoader", "DataLoader", "torch.utils.data.DataLoader"),
        ("from torch.nn.parallel import DataParallel", "DataParallel", "torch.nn.DataParallel"),
        ("from . import cuda", "cuda.synchronize", ".cuda.synchronize"),
        ("from .torch.cuda import amp", "amp", ".torch.cuda.amp"),
        ("import mytorch as torch", "torch.cuda", "mytorch.cuda"),
        ("from mylib import torch", "torch.cuda", "mylib.torch.cuda"),
        ("import torchvision.models as torch", "torch.cuda", "torchvision.models.cuda"),
        ("import numpy", "torch.cuda", None),
        ("", "print", "builtins.print"),
        ("from os import *", "autocast", None),
    ],
)
def test_import_forms(imported: str, used: str, meant: str | None) -> None:
    assert meaning(f"{imported}\nprobe({used})\n") == meant


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(torch):\n    probe(torch.cuda)\n", id="parameter"),
        pytest.param("def f(*torch):\n    probe(torch.cuda)\n", id="starred parameter"),
        pytest.param("def f(**torch):\n    probe(torch.cuda)\n", id="double starred parameter"),
        pytest.param("def f(a, *, torch=None):\n    probe(torch.cuda)\n", id="keyword-only parameter"),
        pytest.param("probe_ = lambda torch: probe(torch.cuda)\n", id="parameter of a lambda"),
        pytest.param("def f():\n    torch = other\n    probe(torch.cuda)\n", id="local"),
        pytest.param("def f():\n    probe(torch.cuda)\n    torch = other\n", id="local bound below"),
        pytest.param("def f():\n    torch: int = 1\n    probe(torch.cuda)\n", id="annotated local"),
        pytest.param("def f():\n    for torch in x:\n        probe(torch.cuda)\n", id="loop variable"),
        pytest.param("def f():\n    with x as torch:\n        probe(torch.cuda)\n", id="with target"),
        pytest.param("def f():\n    with x as (torch, y):\n        probe(torch.cuda)\n", id="with targets"),
        pytest.param("def f():\n    a, (torch, *b) = x\n    probe(torch.cuda)\n", id="unpacked"),
        pytest.param("def f():\n    *torch, b = x\n    probe(torch.cuda)\n", id="unpacked with a star"),
        pytest.param("def f():\n    if (torch := x):\n        probe(torch.cuda)\n", id="walrus"),
        pytest.param("def f():\n    def torch(): pass\n    probe(torch.cuda)\n", id="nested function"),
        pytest.param("def f():\n    class torch: pass\n    probe(torch.cuda)\n", id="nested class"),
        pytest.param("x = [probe(torch.cuda) for torch in y]\n", id="comprehension"),
        pytest.param("x = {torch: probe(torch.cuda) for torch in y}\n", id="dict comprehension"),
        pytest.param("try:\n    pass\nexcept E as torch:\n    probe(torch.cuda)\n", id="caught error"),
        pytest.param("torch = other\nprobe(torch.cuda)\n", id="bound again"),
        pytest.param(
            "def f():\n    global torch\n    torch = other\nprobe(torch.cuda)\n", id="bound again as a global"
        ),
        pytest.param("def f():\n    torch = 1\n    def g():\n        probe(torch.cuda)\n", id="of the outer function"),
        pytest.param(
            "def f():\n  torch = 1\n  def g():\n    nonlocal torch\n    torch = 2\n    probe(torch.cuda)\n",
            id="nonlocal",
        ),
        pytest.param("class A:\n    torch = other\n    probe(torch.cuda)\n", id="class body"),
        pytest.param("match x:\n    case torch:\n        probe(torch.cuda)\n", id="match capture"),
        pytest.param("match x:\n    case [[torch, *_]]:\n        probe(torch.cuda)\n", id="nested match capture"),
        pytest.param("match x:\n    case {**torch}:\n        probe(torch.cuda)\n", id="match of the rest"),
        pytest.param("match x:\n    case [*torch]:\n        probe(torch.cuda)\n", id="starred match capture"),
        pytest.param("probe(self.torch.cuda)\n", id="attribute of something else"),
        pytest.param("probe(torch().cuda)\n", id="result of a call"),
        pytest.param("probe(torch['x'].cuda)\n", id="item"),
    ],
)
def test_a_name_bound_otherwise_is_not_the_import(source: str) -> None:
    assert meaning("import torch\n" + source) is None


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(x=torch.cuda):\n    probe(torch.cuda)\n", id="a default is no binding"),
        pytest.param("def f():\n    self.torch = 1\n    probe(torch.cuda)\n", id="an attribute is no binding"),
        pytest.param("def f():\n    x['torch'] = 1\n    probe(torch.cuda)\n", id="an item is no binding"),
        pytest.param("class A:\n  torch = 1\n  def f(self):\n    probe(torch.cuda)\n", id="a class is no scope"),
        pytest.param(
            "class A:\n  def torch(self): pass\n  def f(self):\n    probe(torch.cuda)\n", id="nor its methods"
        ),
        pytest.param("def f():\n    torch = 1\ndef g():\n    probe(torch.cuda)\n", id="a local of another function"),
        pytest.param("def f(torch=None, x=probe(torch.cuda)): pass\n", id="a default runs outside"),
        pytest.param("@probe(torch.cuda)\ndef f(torch): pass\n", id="a decorator runs outside"),
        pytest.param("x = [y for torch in probe(torch.cuda)]\n", id="the first iterable runs outside"),
        pytest.param("f(torch=1)\nprobe(torch.cuda)\n", id="a keyword is no binding"),
        pytest.param("def f():\n    import torch\n    probe(torch.cuda)\n", id="imported again"),
        pytest.param("probe(torch.cuda)\ndel torch\n", id="deleted later"),
        pytest.param("match x:\n    case torch.A:\n        probe(torch.cuda)\n", id="a value pattern"),
    ],
)
def test_what_binds_nothing_leaves_the_import(source: str) -> None:
    assert meaning("import torch\n" + source) == "torch.cuda"


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        (
            "try:\n  from apex import amp\nexcept ImportError:\n  amp = None\nprobe(amp.initialize)\n",
            "apex.amp.initialize",
        ),
        (
            "try:\n from torch.cuda.amp import autocast\nexcept ImportError:\n def autocast(): pass\nprobe(autocast)\n",
            "torch.cuda.amp.autocast",
        ),
        ("try:\n    import torch\nexcept ImportError:\n    import mytorch as torch\nprobe(torch.cuda)\n", "torch.cuda"),
        ("import torch\nTensor = torch.cuda.FloatTensor\nprobe(Tensor)\n", "torch.cuda.FloatTensor"),
        ("import torch\nc = torch.cuda\ns = c.synchronize\nprobe(s)\n", "torch.cuda.synchronize"),
        ("import torch\nc = torch.cuda\nc = other\nprobe(c.synchronize)\n", None),
        ("import torch\nc, d = torch.cuda, 1\nprobe(c.synchronize)\n", None),
        ("import torch\nc = c\nprobe(c)\n", None),
        ("import torch\na = b\nb = a\nprobe(a)\n", None),
        ("import torch\nclass A:\n    sync = torch.cuda.synchronize\n    def f(self):\n        probe(sync)\n", None),
    ],
)
def test_aliases_and_fallbacks(source: str, meant: str | None) -> None:
    assert meaning(source) == meant


def test_uses_are_whole_chains_and_no_imports() -> None:
    found = script(
        """
        import torch
        from torch.cuda import amp
        if torch.cuda.is_available():
            amp.autocast()
        f(cuda=torch.cuda)
        torch.cuda.flag = 1
        """
    )
    assert [(name, found.tree.line(node)) for name, node in found.names.uses("torch.cuda")] == [
        ("torch.cuda.is_available", 4),
        ("torch.cuda.amp.autocast", 5),
        ("torch.cuda", 6),
    ]


def test_calls_are_in_source_order_and_by_prefix() -> None:
    found = script("import torch\ntorch.cuda.b()\ntorch.cuda.a.c()\ntorch.cudax()\ntorch.cuda.b\n")
    assert [code_of(call) for call in found.calls("torch.cuda.*")] == ["torch.cuda.b()", "torch.cuda.a.c()"]
    assert [code_of(call) for call in found.calls("torch.cudax", "torch.cuda.b")] == ["torch.cuda.b()", "torch.cudax()"]


def test_attributes_of_self_are_found_through_local_bases() -> None:
    found = script(
        """
        class A:
            def __init__(self):
                self.x = 1
                self.y = 2
        class B(A):
            def __init__(self):
                self.x = 3
            def f(self):
                return self.x, self.y
        """
    )
    x, y = (element.value for element in found.tree.all(cst.Tuple)[0].elements)
    assert [found.tree.line(binding.node) for binding in found.names.bindings(x)] == [8]
    assert [found.tree.line(binding.node) for binding in found.names.bindings(y)] == [5]


def test_methods_through_bases_that_go_round() -> None:
    found = script("class A(B):\n    def f(self): pass\nclass B(A): pass\n")
    (a, b) = found.tree.all(cst.ClassDef)
    assert found.names.method(b, "f") is a.body.body[0]
    assert found.names.method(b, "g") is None


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("f(a, b)", "b"),
        ("f(a, key=b)", "b"),
        ("f(key=b)", "b"),
        ("f(a)", None),
        ("f(*a, b)", None),
        ("f(a, *b)", None),
        ("f(**a)", None),
        ("f(*a, key=b)", "b"),
        ("f(**a, key=b)", "b"),
        ("f(x=1, key=b)", "b"),
    ],
)
def test_argument(call: str, found: str | None) -> None:
    parsed = cst.parse_expression(call)
    assert isinstance(parsed, cst.Call)
    arg = argument(parsed, 1, "key")
    assert (code_of(arg.value) if arg else None) == found


def test_canonical_leaves_other_names() -> None:
    assert canonical("mytorch.optim.adam.Adam") == "mytorch.optim.adam.Adam"
    assert canonical("torch.optim.lr_scheduler.StepLR") == "torch.optim.lr_scheduler.StepLR"
    assert canonical("torch.optim.adamw.AdamW") == "torch.optim.AdamW"
