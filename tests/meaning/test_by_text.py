"""What a text names is followed: `getattr(owner, text)`, `eval(text)` and `globals()[text]`."""

from __future__ import annotations

import pytest

from tests.meaning.programs import run, steps

NETWORKS = """
from torch import nn
class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
    def forward(self, x):
        return self.a(x)
class Large(Small): pass
"""
MAIN = """
import argparse
import torch
{imports}
parser = argparse.ArgumentParser()
parser.add_argument("--model")
args = parser.parse_args()
net = {made}
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in range(3):
    net(torch.zeros(2)).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("imports", "made"),
    [
        ("from networks import Small", "eval('Small()')"),
        ("from networks import Small, Large", "eval(args.model)()"),
        ("from networks import *", "globals()[args.model]()"),
        ("import networks", "eval(args.model).Small()"),
        ("import networks", "getattr(networks, args.model)()"),
        ("import networks", "eval(f'networks.{args.model}')()"),
    ],
)
def test_the_network_that_a_text_names_is_trained(imports: str, made: str) -> None:
    found = run("train.py", MAIN.format(imports=imports, made=made), "networks.py", NETWORKS)
    assert [one for one in steps(found) if {site.path for site, _ in one.gradients} == {"networks.py"}]


def test_a_text_that_is_no_expression_names_nothing() -> None:
    assert not steps(run("x = eval('no expression')\n"))


def test_an_optimizer_that_an_option_names_steps_what_it_was_given() -> None:
    made = MAIN.format(imports="from networks import Small", made="Small()")
    made = made.replace("torch.optim.SGD(", "getattr(torch.optim, args.model)(")
    found = run("train.py", made, "networks.py", NETWORKS)
    assert [one for one in steps(found) if {site.path for site, _ in one.gradients} == {"networks.py"}]
