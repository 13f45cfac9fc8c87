"""Who is who in a script: by what it was made from, what flows where, and how it is used. Never by spelling."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst
import pytest

from codemods.kit.build import code_of
from codemods.kit.roles import Role, Value
from codemods.kit.script import Script, read

HEAD = """
import torch
from torch import nn, optim
from torch.utils.data import DataLoader
from torch.nn.parallel import DistributedDataParallel as DDP
from torchvision import models

class Net(nn.Module):
    pass

class Thing:
    pass

"""


def script(source: str) -> Script:
    return read(cst.parse_module(HEAD + dedent(source)))


def probed(source: str) -> tuple[Script, cst.BaseExpression]:
    """A script, and what it passes to `probe`."""
    found = script(source)
    (call,) = [call for call in found.tree.all(cst.Call) if code_of(call.func) == "probe"]
    return found, call.args[0].value


def value(source: str, role: Role) -> Value | None:
    found, node = probed(source)
    return found.value(node, role)


def roles(source: str) -> set[Role]:
    found, node = probed(source)
    return {value.role for value in found.roles.values(node)}


@pytest.mark.parametrize(
    ("expression", "role"),
    [
        ("Net()", Role.MODEL),
        ("nn.Sequential(Thing())", Role.MODEL),
        ("models.resnet18()", Role.MODEL),
        ("models.__dict__[args.arch]()", Role.MODEL),
        ("getattr(models, name)(pretrained=True)", Role.MODEL),
        ("Net().cuda().half()", Role.MODEL),
        ("DDP(Net())", Role.MODEL),
        ("nn.DataParallel(unknown)", Role.MODEL),
        ("optim.SGD(x, lr=1)", Role.OPTIMIZER),
        ("getattr(optim, name)(x)", Role.OPTIMIZER),
        ("torch.optim.lr_scheduler.StepLR(o, 1)", Role.SCHEDULER),
        ("torch.cuda.amp.GradScaler()", Role.SCALER),
        ("DataLoader(data)", Role.LOADER),
        ("enumerate(DataLoader(data))", Role.ITERATOR),
        ("iter(DataLoader(data))", Role.ITERATOR),
        ("next(iter(DataLoader(data)))", Role.BATCH),
        ("nn.CrossEntropyLoss()", Role.CRITERION),
        ("nn.CrossEntropyLoss()(x, y)", Role.LOSS),
        ("nn.functional.cross_entropy(x, y)", Role.LOSS),
        ("Net()(x)", Role.TENSOR),
        ("torch.zeros(3)", Role.TENSOR),
        ("torch.device('cuda')", Role.DEVICE),
        ("Thing()", Role.OTHER),
        ("[1, 2]", Role.OTHER),
        ("'cuda'", Role.OTHER),
    ],
)
def test_by_construction(expression: str, role: Role) -> None:
    assert role in roles(f"x = {expression}\nprobe(x)\n")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("model = 1\nprobe(model)\n", id="a name is no evidence"),
        pytest.param("from mylib import Other, model\nprobe(Other())\n", id="made elsewhere"),
        pytest.param(
            "optimizer = Thing()\noptimizer.zero_grad()\nloss.backward()\noptimizer.step()\nprobe(optimizer)\n",
            id="an own class",
        ),
        pytest.param("class DataLoader(list): pass\nx = DataLoader([])\nprobe(x)\n", id="an own class of a known name"),
        pytest.param("probe(optim.lr_scheduler)\n", id="a module"),
        pytest.param("probe(optim.SGD)\n", id="a class itself"),
        pytest.param("model = Net()\ndef f(model):\n    probe(model)\nf(Thing())\n", id="shadowed by a parameter"),
        pytest.param("model = Net()\ndef f():\n    model = Thing()\n    probe(model)\n", id="shadowed by a local"),
        pytest.param("def f():\n    model = Net()\ndef g():\n    probe(model)\n", id="local of another function"),
    ],
)
def test_not_proved(source: str) -> None:
    assert not roles(source) & {Role.MODEL, Role.OPTIMIZER, Role.LOADER, Role.SCHEDULER}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(m):\n    probe(m)\nf(Net())\n", id="positional argument"),
        pytest.param("def f(a, m=None):\n    probe(m)\nf(1, m=Net())\n", id="keyword argument"),
        pytest.param("def g(a):\n    probe(a)\ndef f(m):\n    g(m)\nf(Net())\n", id="two calls deep"),
        pytest.param("def f(m: nn.Module):\n    probe(m)\n", id="annotation"),
        pytest.param("def f():\n    return Net()\nprobe(f())\n", id="return"),
        pytest.param("def f():\n    m = Net()\n    return m\nx = f().cuda()\nprobe(x)\n", id="return of a local"),
        pytest.param("def f():\n    return 1, Net()\na, b = f()\nprobe(b)\n", id="returned tuple"),
        pytest.param("def f():\n    return 1, (2, Net())\na, (b, c) = f()\nprobe(c)\n", id="nested tuple"),
        pytest.param("def f():\n    return [1, Net()]\nprobe(f()[1])\n", id="item of a returned list"),
        pytest.param("a, b = 1, Net()\nprobe(b)\n", id="unpacked literal"),
        pytest.param("a = b = Net()\nprobe(a)\n", id="chained assignment"),
        pytest.param("if x:\n    m = Net()\nelse:\n    m = None\nprobe(m)\n", id="one of two branches"),
        pytest.param("m = Net() if x else None\nprobe(m)\n", id="conditional expression"),
        pytest.param("m = None or Net()\nprobe(m)\n", id="or"),
        pytest.param("if (m := Net()):\n    probe(m)\n", id="walrus"),
        pytest.param("m = Net()\nm = DDP(m)\nm = m.module\nprobe(m)\n", id="wrapped and unwrapped"),
        pytest.param("m = Net()\ndef f():\n    probe(m)\n", id="global"),
        pytest.param(
            "class T:\n    def __init__(self, m):\n        self.m = m\n    def f(self):\n        probe(self.m)\n"
            "T(Net())\n",
            id="attribute of self",
        ),
        pytest.param(
            "class T:\n    def __init__(self):\n        self.m = Net()\nt = T()\nprobe(t.m)\n", id="attribute"
        ),
        pytest.param(
            "class B:\n    def __init__(self):\n        self.m = Net()\nclass T(B):\n    def f(self):\n"
            "        probe(self.m)\n",
            id="attribute of a base",
        ),
        pytest.param(
            "class T:\n    def make(self):\n        return Net()\n    def f(self):\n        probe(self.make())\n",
            id="method",
        ),
        pytest.param(
            "class T:\n    def f(self, m):\n        probe(m)\nt = T()\nt.f(Net())\n", id="argument of a method"
        ),
        pytest.param(
            "class T:\n    @staticmethod\n    def f(m):\n        probe(m)\n    def g(self):\n        self.f(Net())\n",
            id="argument of a static method",
        ),
        pytest.param("d = {'a': Net(), 'b': 1}\nprobe(d['a'])\n", id="dict"),
        pytest.param("d = dict()\nd['a'] = Net()\nprobe(d['a'])\n", id="item set"),
        pytest.param("d = {k: Net() for k in x}\nprobe(d[k])\n", id="dict comprehension"),
        pytest.param("for m in [Net(), Net()]:\n    probe(m)\n", id="loop over a literal"),
        pytest.param("ms = [Net() for i in x]\nfor m in ms:\n    probe(m)\n", id="loop over a comprehension"),
        pytest.param("ms = {'a': Net()}\nfor m in ms.values():\n    probe(m)\n", id="values of a dict"),
        pytest.param("ms = {'a': Net()}\nfor k, m in ms.items():\n    probe(m)\n", id="items of a dict"),
        pytest.param("def f(m):\n    m.train()\n    y = m(x)\n    probe(m)\n", id="by use"),
    ],
)
def test_a_model_is_followed(source: str) -> None:
    assert Role.MODEL in roles(source)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            "loaders = {x: DataLoader(d[x]) for x in ['train', 'val']}\n"
            "for phase in ['train', 'val']:\n    for batch in loaders[phase]:\n        probe(batch)\n",
            id="phases",
        ),
        pytest.param("l = DataLoader(d)\nfor i, batch in enumerate(l, 1):\n    probe(batch)\n", id="enumerate"),
        pytest.param(
            "from tqdm import tqdm\nl = DataLoader(d)\nfor batch in tqdm(enumerate(l)):\n    probe(batch)\n",
            id="tqdm of enumerate",
        ),
        pytest.param("l = DataLoader(d)\nfor a, b in zip(l, range(9)):\n    probe(a)\n", id="zip"),
        pytest.param("l = DataLoader(d)\nit = iter(l)\nwhile True:\n    probe(next(it))\n", id="next"),
        pytest.param("l = DataLoader(d)\nfor x, y in l:\n    probe(y)\n", id="unpacked"),
        pytest.param("def f(loader):\n    for x in loader:\n        probe(x)\nf(DataLoader(d))\n", id="parameter"),
        pytest.param(
            "def make():\n    return DataLoader(a), DataLoader(b)\ntrain, test = make()\nfor x in test:\n"
            "    probe(x)\n",
            id="returned pair",
        ),
    ],
)
def test_a_batch_is_followed(source: str) -> None:
    assert Role.BATCH in roles(source)


def test_wrappers_are_kept_innermost_first() -> None:
    found = value("m = nn.DataParallel(DDP(Net().cuda()))\nprobe(m)\n", Role.MODEL)
    assert found is not None
    assert (found.of, found.wrapped) == ("Net", ("DistributedDataParallel", "DataParallel"))
    unwrapped = value("m = DDP(Net())\nprobe(m.module)\n", Role.MODEL)
    assert unwrapped is not None
    assert unwrapped.wrapped == ()


def test_evidence_tells_the_way() -> None:
    found = value("def f(m):\n    probe(m)\nmodel = Net()\nf(model)\n", Role.MODEL)
    assert found is not None
    assert found.evidence == ("Net(...) at line 16", "passed to f() at line 17")


def test_an_optimizer_by_use_needs_a_backward() -> None:
    use = "def train(opt):\n    opt.zero_grad()\n    {}\n    opt.step()\n    probe(opt)\n"
    assert Role.OPTIMIZER in roles(use.format("loss.backward()"))
    assert Role.OPTIMIZER not in roles("def train(sched):\n    sched.step()\n    probe(sched)\n")


def test_order_of_asking_makes_no_difference() -> None:
    source = "m = Net()\nm = m.cuda()\nm = DDP(m)\nm = nn.DataParallel(m)\nprobe(m)\n"
    found = script(source)
    nodes = [node for node in found.tree.all(cst.Name) if node.value == "m"]
    forward = {code: found.roles.values(node) for code, node in enumerate(nodes)}
    other = read(found.module)
    for code, node in reversed(list(enumerate(nodes))):
        assert {(v.of, v.wrapped) for v in other.roles.values(node)} == {(v.of, v.wrapped) for v in forward[code]}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("src, length = src\nprobe(src)\n", id="a name unpacked from itself"),
        pytest.param("def f(x):\n    return f(x)\nprobe(f(1))\n", id="a function that returns itself"),
        pytest.param("def f(x):\n    f(x)\n    probe(x)\n", id="a parameter passed to itself"),
        pytest.param("a = b\nb = a\nprobe(a)\n", id="two names in a ring"),
        pytest.param("class A(A): pass\nprobe(A())\n", id="a class under itself"),
        pytest.param("x = [x]\nfor x in x:\n    probe(x)\n", id="a loop over its own name"),
    ],
)
def test_rings_end(source: str) -> None:
    roles(source)  # and says something or nothing


def test_a_name_bound_a_hundred_times_through_itself() -> None:
    assert roles("x = torch.zeros(1)\n" + "x = x.view(1).to(x)\n" * 300 + "probe(x)\n") == {Role.TENSOR}


def test_many_names_through_each_other_stay_cheap() -> None:
    lines = [f"    {a} = {b}.view(1).to({a})\n" for a in "abcdefgh" for b in "abcdefgh"]
    found, node = probed("def f(a, b, c, d, e, f, g, h):\n" + "".join(lines) + "    probe(a)\n")
    calls = 0
    infer = found.roles._infer

    def counted(node: cst.BaseExpression, path: tuple[int, ...]) -> tuple[Value, ...]:
        nonlocal calls
        calls += 1
        return infer(node, path)

    found.roles._infer = counted  # type: ignore[method-assign]
    found.roles.values(node)
    assert calls < 1000
