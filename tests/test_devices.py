"""Which expressions are the accelerator, which of them define it, and how a place in the code can name it."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst
import pytest

from codemods.kit.build import code_of
from codemods.kit.devices import Devices
from codemods.kit.script import Script, read

HEAD = """
import argparse, os
import torch
import torch.distributed as dist
from torch import device as dev, nn
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
parser.add_argument("--gpu", type=int)
parser.add_argument("--name", default="cuda")
args = parser.parse_args()
"""


def script(code: str) -> Script:
    return read(cst.parse_module(HEAD + dedent(code)))


def definitions(code: str) -> list[str]:
    return [code_of(node) for node in script(code).device_positions.definitions]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param('d = torch.device("cuda:0")', ['torch.device("cuda:0")'], id="torch.device"),
        pytest.param('d = dev("cuda", 1)', ['dev("cuda", 1)'], id="imported by another name"),
        pytest.param('d = torch.device("cpu"); e = torch.device("mps")', [], id="other devices"),
        pytest.param("d = torch.device(args.device)", ["torch.device(args.device)"], id="an option"),
        pytest.param("x.to(args.device)", ["args.device"], id="an option as it is"),
        pytest.param("x.to(args.name)", ["args.name"], id="an option that defaults to one"),
        pytest.param("print(args.name, args.device); x.to(args.dtype)", [], id="options that are not moved to"),
        pytest.param('print("cuda"); path = "cuda"', [], id="texts"),
        pytest.param('d = "cuda"\nx.to(d)', ['"cuda"'], id="a text that reaches .to"),
        pytest.param('d = "cuda"\nprint(d)', [], id="a text that does not"),
        pytest.param('def f(d="cuda"): return x.to(d)', ['"cuda"'], id="a default"),
        pytest.param('def f(d): return x.to(d)\nf("cuda")\nf(name="cuda")', ['"cuda"'], id="an argument of a function"),
        pytest.param('c = {"device": "cuda", "name": "cuda"}\nx.to(c["device"])', ['"cuda"'], id="a slot of a dict"),
        pytest.param('class C:\n    device = "cuda"\nx.to(C.device)', ['"cuda"'], id="an attribute of a class"),
        pytest.param('x.to("cuda" if y else "cpu")', ['"cuda" if y else "cpu"'], id="a choice is one definition"),
        pytest.param('d = e if e else torch.device("cuda")', ['torch.device("cuda")'], id="not a choice of literals"),
        pytest.param("r = int(os.environ['LOCAL_RANK'])\nx.to(r); print(r)", ["r"], id="a rank where it is a device"),
        pytest.param("device = dist.get_rank()\nx.to(device)", ["dist.get_rank()"], id="a rank called device"),
        pytest.param("x.to(0); x.to(torch.float32); x.to(y)", ["0"], id="an integer, a type and a tensor"),
        pytest.param('torch.load(f, map_location=torch.device("cuda"))', [], id="where a checkpoint is loaded"),
        pytest.param('d == torch.device("cuda")', [], id="a comparison"),
        pytest.param("def f(x): return torch.device(x.device)", [], id="where a tensor is"),
    ],
)
def test_definitions(code: str, expected: list[str]) -> None:
    assert definitions(code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param('d = torch.device("cuda")\nhere()', "d", id="bound above"),
        pytest.param('here()\ndevice = torch.device("cuda")', None, id="bound below"),
        pytest.param("def f(device):\n    x.to(device)\n    here()", "device", id="a parameter used as one"),
        pytest.param("def f(device):\n    print(device)\n    here()", None, id="a parameter that is not"),
        pytest.param('device = torch.device("cuda")\ndef f():\n    here()', "device", id="of the module"),
        pytest.param('if y:\n    device = torch.device("cuda")\nhere()', None, id="bound on one path only"),
        pytest.param('if y: d = torch.device("cuda")\nelse: d = torch.device("cpu")\nhere()', "d", id="on both paths"),
        pytest.param('args.device = torch.device("cuda")\nhere()', "args.device", id="an attribute of the options"),
        pytest.param('acc = torch.device("cuda")\nmy_device = acc\nhere()', "my_device", id="the name that says so"),
        pytest.param(
            'class T:\n  def __init__(self):\n    self.device = torch.device("cuda")\n  def f(self):\n    here()',
            "self.device",
            id="an attribute of the object",
        ),
    ],
)
def test_visible(code: str, expected: str | None) -> None:
    read_ = script(code)
    (here,) = (call for call in read_.tree.all(cst.Call) if code_of(call.func) == "here")
    assert Devices(read_).visible(here) == expected


def test_a_device_of_the_module_is_relocated_only_where_processes_are_started() -> None:
    code = 'device = torch.device("cuda")\ndef f(x): return x.to(device)\n'
    assert not Devices(script(code)).relocated
    assert list(Devices(script(code + "torch.multiprocessing.spawn(f)")).relocated) == ["device"]
    assert not Devices(script(code + "x.to(device)\ntorch.multiprocessing.spawn(f)")).relocated


def test_one_definition_serves_a_function() -> None:
    read_ = script("def f():\n    if y:\n        one()\n    for x in y:\n        two()\n")
    devices = Devices(read_)
    calls = {code_of(call.func): call for call in read_.tree.all(cst.Call)}
    assert [devices.at(calls["two"]), devices.at(calls["one"])] == ["device", "device"]
    ((_, place, code),) = devices.definitions("xm.xla_device()")
    assert code == "device = xm.xla_device()"
    assert isinstance(place, cst.If)
