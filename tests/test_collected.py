"""Which files of a repository are its tests, and what the judge says of them."""

from __future__ import annotations

import ast

import pytest

from codemods.kit.targets import Target
from migrate.engine.collected import is_collected
from migrate.engine.judge import judge

_TEST = "from net import Net\n\nNET = Net()\n\ndef build():\n    return Net()\n\ndef test_it():\n    build()\n"
_CASE = "import unittest\n\nclass NetTest(unittest.TestCase):\n    def setUp(self):\n        pass\n"


@pytest.mark.parametrize(
    ("path", "text", "collected"),
    [
        ("tests/test_net.py", _TEST, True),
        ("net_test.py", _CASE + '\nif __name__ == "__main__":\n    unittest.main()\n', True),
        ("test_net.py", _TEST + '\nif __name__ == "__main__":\n    test_it()\n', True),
        ("conftest.py", "import pytest\n", True),
        ("test.py", _TEST, False),
        ("test_net.py", _TEST + '\nif __name__ == "__main__":\n    build()\n', False),
        ("test_net.py", _TEST + "\nfor batch in NET.batches:\n    test_it()\n", False),
        ("test_net.py", _TEST + "\nargs = parser.parse_args()\n", False),
        ("test_net.py", "def evaluate(net):\n    pass\n", False),
        ("helpers.py", _TEST, False),
    ],
)
def test_what_a_test_runner_collects(path: str, text: str, collected: bool) -> None:
    assert is_collected(path, ast.parse(text)) is collected


_STALE = """
import torch

def test_it():
    net = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net.to(torch_xla.device())
    for x in range(3):
        optimizer.zero_grad()
        net(torch.rand(2, 2)).sum().backward()
        optimizer.step()
"""


def test_tests_are_not_judged() -> None:
    target = Target.parse("torch-xla==2.9")
    assert not judge({"tests/test_net.py": _STALE}, {"tests/test_net.py": ""}, target=target).findings
    assert judge({"train.py": _STALE}, {"train.py": ""}, target=target).findings
