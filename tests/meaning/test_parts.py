"""What an execution tells of a program's expressions, and which models have to move before they are listed."""

from __future__ import annotations

import ast

import libcst as cst
import pytest

from codemods.kit.meaning.shown import Early, Meaning
from codemods.kit.meaning.spelling import spelling
from codemods.kit.roles import spelling as spelling_of_cst
from migrate.engine.originals import execute_original, meanings

HEAD = """import torch
from torch import nn
device = torch.device("cuda")
"""


def meaning(text: str) -> Meaning:
    return meanings({"train.py": HEAD + text})["train.py"]


def roles(text: str, spelled: str) -> set[str]:
    every = meaning(text).parts.items()
    return {part.role for (_, one), parts in every if one == spelled for part in parts}


@pytest.mark.parametrize(
    ("text", "spelled", "role"),
    [
        ("net = nn.Linear(2, 2)\nkept = {'opt': torch.optim.SGD(net.parameters())}\nkept['opt'].step()", "kept['opt']",
         "optimizer"),
        ("kept = [None, torch.cuda.amp.GradScaler()]\nkept[1].update()", "kept[1]", "gradient scaler"),
        ("class A: pass\na = A()\na.net = nn.Linear(2, 2)\nb = a\nb.net.train()", "b.net", "model"),
        ("def make(): return torch.utils.data.DataLoader([1])\nfor x in make(): pass", "make()", "data loader"),
        ("from functools import partial\nmake = partial(torch.optim.Adam, lr=1.0)\n"
         "make(nn.Linear(2, 2).parameters()).step()", "make()", "optimizer"),
        ("place = {'where': 'cuda'}\nnn.Linear(2, 2).to(place['where'])", "'cuda'", "device"),
    ],
)  # fmt: skip
def test_an_expression_is_what_it_was(text: str, spelled: str, role: str) -> None:
    assert roles(text, spelled) == {role}


STEPS = """
import registry
net = nn.Linear(2, 2).cuda()
kept = {"main": registry.build("optimizer", net.parameters())}
schedule = registry.build("schedule", kept["main"])
for x in loader:
    net(x.cuda()).sum().backward()
    kept["main"].step()
    schedule.step()
    kept["main"].zero_grad()
"""


def test_what_steps_while_gradients_wait_is_an_optimizer() -> None:
    assert roles(STEPS, "kept['main']") == {"optimizer"}
    assert roles(STEPS, "schedule") == set()
    assert roles(STEPS.replace(".sum().backward()", ""), "kept['main']") == set()


def test_a_text_that_is_no_device_is_none() -> None:
    assert roles("print('cuda')\nnn.Linear(2, 2).to(device)", "'cuda'") == set()
    assert roles("name = 'cuda'\nx = torch.device(name)", "'cuda'") == set()


def test_what_is_two_things_says_so() -> None:
    text = "def run(x):\n    return x\nrun(nn.Linear(2, 2))\nrun(torch.optim.SGD(nn.Linear(2, 2).parameters()))"
    assert roles(text, "x") == {"model", "optimizer"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("net = nn.Linear(2, 2)\nopt = torch.optim.SGD(net.parameters())\nnet.to(device)",
         [Early(4, "net", (5, "net.to()"))]),
        ("net = nn.Linear(2, 2)\nsome = [p for p in net.parameters()]\nnet = net.to(device)\n"
         "opt = torch.optim.SGD(some)", [Early(4, "net", (5, "net.to()"))]),
        ("def place(m):\n    m.cuda()\nnet = nn.Linear(2, 2)\nopt = torch.optim.SGD(net.parameters())\nplace(net)",
         [Early(6, "net", None)]),
        ("net = nn.Linear(2, 2)\nnet.to(device)\nopt = torch.optim.SGD(net.parameters())", []),
        ("net = nn.Linear(2, 2)\nprint(len(list(net.parameters())))\nnet.to(device)\n"
         "opt = torch.optim.SGD(net.parameters())", []),
    ],
)  # fmt: skip
def test_a_model_moves_before_its_parameters_are_listed(text: str, expected: list[Early]) -> None:
    assert list(meaning(text).early) == expected


def test_a_step_under_another_name_is_one() -> None:
    found = meaning("opt = torch.optim.SGD(nn.Linear(2, 2).parameters())\ngo = opt.step\ngo()\nopt.step()")
    assert found.steps == {(5, "go()"): "opt"}


@pytest.mark.parametrize("code", ["a.b[0].c", "a['k']", 'a["k"](1).d', "a[i]", "a[1:2]", "f(g(x))", "-a.b", "'t'"])
def test_both_parsers_spell_alike(code: str) -> None:
    assert spelling(ast.parse(code, mode="eval").body) == spelling_of_cst(cst.parse_expression(code))


def test_a_program_is_executed_once_for_its_rewriting_and_its_judgement() -> None:
    codes = {"once.py": HEAD + "nn.Linear(2, 2).to(device)"}
    assert execute_original(codes) is execute_original(dict(codes))


def test_who_calls_another_file_for_a_sparse_tensor() -> None:
    process = "import torch\ndef edges(a):\n    return torch.sparse.FloatTensor(a, a)\ndef dense(a): return a\n"
    train = HEAD + "import process\nadj = process.edges(1)\nadj = process.dense(adj).to(device)\n"
    found = meanings({"train.py": train, "process.py": process})
    assert {key[1]: f"{site.path}:{site.line}" for key, site in found["train.py"].sparse.items()} == {
        "process.edges()": "process.py:3"
    }
    assert not found["process.py"].sparse


def test_what_a_move_parts() -> None:
    layers = "net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))\n"
    tied = meaning(layers + "net[2].weight = net[0].weight\nnet.to(device)").tied
    assert next(iter(tied.values())).pairs == (("[2].weight", "[0].weight"),)
    layers = "net = nn.ModuleList(nn.Linear(2, 2) for _ in names)\n"
    tied = meaning(layers + "for one in net: one.weight = net[0].weight\nnet.to(device)").tied
    assert not any(one.pairs for one in tied.values())
    assert not meaning("net = nn.Linear(2, 2)\nboth = nn.ModuleList([net, net])\nboth.to(device)").tied
