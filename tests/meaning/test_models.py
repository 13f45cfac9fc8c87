"""The models of libraries: each file executes alone, and those of torch_xla name what torch_xla has."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from codemods.kit.meaning.execution import Execution, execute
from codemods.kit.meaning.libraries import MODELS
from tests.meaning.programs import gradients, kinds, run, said, steps

FILES = sorted(path for path in MODELS.rglob("*.py"))
API: dict[str, Any] = json.loads((MODELS.parent / "data" / "torch_xla_api.json").read_text(encoding="utf-8"))


def _module(path: Path) -> str:
    return ".".join(path.relative_to(MODELS).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("cuda", [False, True])
def test_every_model_executes(cuda: bool) -> None:
    names = [_module(path) for path in FILES if _module(path) != "builtins"]
    text = "".join(f"import {name}\n" for name in names)
    execution = execute({"train.py": ast.parse(text)}, ["train.py"], cuda=cuda)
    assert not said(execution)
    assert not _troubles(execution)
    assert execution.record.of("end")


def _troubles(execution: Execution) -> list[Any]:
    return [*execution.record.of("trouble"), *execution.record.of("spent")]


def test_every_model_says_what_it_models() -> None:
    missing = [str(path.relative_to(MODELS)) for path in FILES if not _says(path)]
    assert not missing


def _says(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return not tree.body or bool(ast.get_docstring(tree))


@pytest.mark.parametrize("path", [one for one in FILES if _module(one).startswith("torch_xla")], ids=_module)
def test_what_a_model_of_torch_xla_names_exists(path: Path) -> None:
    module = _module(path)
    assert module in API["modules"]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unknown = [name for name in _public(tree) if f"{module}.{name}" not in _KNOWN]
    assert not unknown


def _public(tree: ast.Module) -> list[str]:
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.append(node.name)
        elif isinstance(node, ast.Assign):
            found += [one.id for one in node.targets if isinstance(one, ast.Name)]
    return [name for name in found if not name.startswith("_")]


_KNOWN = frozenset(API["symbols"]) | frozenset(API["modules"])


def test_a_model_of_the_users_own(tmp_path: Path) -> None:
    (tmp_path / "company").mkdir()
    (tmp_path / "company" / "nets.py").write_text(
        '"""Our networks."""\nfrom torch.nn import Linear\n\n\ndef small():\n    return Linear(1, 1)\n',
        encoding="utf-8",
    )
    text = """
        import torch
        from company.nets import small
        net = small().to("xla")
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net(torch.ones(1, 1, device="xla")).sum().backward()
        optimizer.step()
        """
    execution = run(text, models=(tmp_path, MODELS))
    assert not said(execution)
    assert gradients(execution) == {"local"}


def test_a_network_of_a_library_with_another_head() -> None:
    execution = run(
        """
        import torch, torchvision
        from torchvision import models
        net = models.__dict__["resnet18"](pretrained=True)
        net.fc = torch.nn.Linear(net.fc.in_features, 10)
        net.to("xla")
        optimizer = torch.optim.SGD(net.fc.parameters(), 0.1)
        net(torch.ones(1, 1, device="xla")).sum().backward()
        optimizer.step()
        """
    )
    assert not said(execution)
    assert gradients(execution) == {"local"}


def test_settings_of_files_are_symbols() -> None:
    execution = run(
        """
        import hydra, torch
        from yacs.config import CfgNode as CN
        from easydict import EasyDict
        from omegaconf import OmegaConf
        base = CN()
        base.SOLVER = CN()
        base.SOLVER.STEPS = 0
        easy = EasyDict({"net": {"size": 1}})
        @hydra.main(config_path=None)
        def main(cfg):
            net = torch.nn.Linear(easy.net.size, 1)
            if base.SOLVER.STEPS:
                net.to("xla")
            if cfg.train.on and OmegaConf.load("x").more:
                torch.optim.SGD(net.parameters(), cfg.lr).step()
        main()
        """
    )
    assert not said(execution)
    assert execution.record.of("move")
    assert execution.record.of("step")


def test_a_flag_that_only_sets_what_it_is_already_is_no_option() -> None:
    text = """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--average", action="store_true", default=True)
        parser.add_argument("--shrink", action="store_false", default=False)
        parser.add_argument("--amp", action="store_true", default=False)
        parser.add_argument("--keep", default=True, action="store_false")
        args = parser.parse_args()
        if not args.average: average
        if args.shrink: shrink
        if args.amp: amp
        if args.keep: keep
    """
    assert [message for _, message in said(run(text))] == ["`amp` is not bound here", "`keep` is not bound here"]


def test_how_many_parameters_a_librarys_network_has_is_not_known() -> None:
    text = """
        import torch, torchvision
        net = torchvision.models.resnet18()
        parameters = [one for one in net.parameters() if one.requires_grad]
        assert len(parameters) == 2
        optimizer = torch.optim.SGD(parameters, 0.1)
        net(torch.ones(1, 3, 8, 8)).sum().backward()
        optimizer.step()
    """
    assert steps(run(text))


def test_a_package_has_a_file_that_is_called_as_a_library() -> None:
    text = "from tools import *\ntorch.zeros(math.ceil(2.5)).cuda()\nnumbers\n"
    package = {"__init__": "from tools.math import *\nfrom tools.torch import *", "torch": "import torch"}
    package["math"] = "import math\nimport torch\nnumbers = 1"
    files = [one for name, body in package.items() for one in (f"tools/{name}.py", body)]
    assert said(run("train.py", text, *files)) == [(2, "this is put on the CUDA device, which is not there")]


def test_whether_an_unknown_number_is_another_is_not_known() -> None:
    text = """
        import torch
        from batches import stream
        net = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for batch in stream:
            if batch.text.size()[0] is not 32:
                continue
            net(batch.text).sum().backward()
            optimizer.step()
    """
    assert steps(run(text))


def test_a_command_of_the_command_line_is_called() -> None:
    text = """
        import argparse
        import torch

        def train(args):
            net = torch.nn.Linear(1, 1)
            optimizer = torch.optim.SGD(net.parameters(), args.rate)
            net(torch.ones(1, 1)).sum().backward()
            optimizer.step()

        def show(args):
            print(args.rate)

        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers(dest="command")
        for name, function in (("train", train), ("show", show)):
            command = commands.add_parser(name)
            command.add_argument("--rate", type=float)
            command.set_defaults(func=function)
        args = parser.parse_args()
        args.func(args)
    """
    execution = run(text)
    assert steps(execution)
    assert "print" in kinds(execution)
    assert "uncalled" not in kinds(execution)


def test_members_of_enumerations() -> None:
    text = """
        from enum import Enum, IntEnum, auto

        class Mode(Enum):
            TRAIN = "train"
            EVAL = "eval"
            OTHER = auto()

            @property
            def long(self):
                return self.value + "s"

        class Level(IntEnum):
            A = 1
            B = 2

        class Text(str, Enum):
            A = "a"

        mode = Mode.TRAIN
        print(mode.name, mode.value, mode.long, Level.A + 1, Level(1).name, Mode["EVAL"].value, [m.value for m in Mode])
        if mode is Mode.EVAL or mode == Mode.EVAL or mode != Mode.TRAIN or mode.name == "EVAL": wrong
        if Mode("train") is Mode.EVAL or Level.A == 2 or Level.A > 2 or Text.A != "a": wrong
        if mode not in (Mode.TRAIN, Mode.EVAL) or {Mode.TRAIN: 1, Mode.EVAL: 2}[mode] == 2: wrong
        if Mode("train") is Mode.TRAIN and Level.A == 1 and Text.A == "a" and mode in (Mode.TRAIN, Mode.EVAL): right
    """
    assert [message for _, message in said(run(text))] == ["`right` is not bound here"]


@pytest.mark.parametrize(
    "body",
    [
        "for name, part in self._modules.items(): x = part(x)",
        "x = self._modules['one'](x)",
        "for name in self._modules: x = self._modules[name](x)",
        "self._modules['two'] = torch.nn.Linear(1, 1); x = self._modules['two'](self.one(x))",
    ],
)
def test_what_a_module_keeps_of_itself(body: str) -> None:
    text = f"""
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.one = torch.nn.Linear(1, 1)
            def forward(self, x):
                {body}
                return x
        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net(torch.ones(1, 1)).sum().backward()
        optimizer.step()
        net._get_name(), net._version, net.compile(), net._buffers
        net.nothing
    """
    execution = run(text)
    assert gradients(execution) == {"local"}
    assert [message for _, message in said(execution)] == ["`.nothing` is asked of Net, which has none"]


def test_a_dict_of_ones_own_stores_as_a_dict_does() -> None:
    text = """
        class Kept(dict):
            def __setitem__(self, name, value):
                print(name)
                super().__setitem__(name, value)
        kept = Kept()
        kept["one"] = 1
        if kept["one"] == 1: right
    """
    assert [message for _, message in said(run(text))] == ["`right` is not bound here"]


def test_named_tuples_of_typing() -> None:
    text = """
        import torch
        from typing import NamedTuple, TYPE_CHECKING, cast
        if TYPE_CHECKING:
            import nothing
        class Batch(NamedTuple):
            x: torch.Tensor
            y: int = 3
        net = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        batch = Batch(torch.ones(1, 1))
        x, y = batch
        if y == 4 or batch.y == 4 or batch[1] == 4 or batch._asdict()["y"] == 4 or batch._replace(y=4).y == 3: wrong
        cast(torch.Tensor, net(batch.x)).sum().backward()
        optimizer.step()
    """
    execution = run(text)
    assert gradients(execution) == {"local"}
    assert not said(execution)


def test_what_a_file_of_torch_defines_its_package_has() -> None:
    execution = run(
        """
        import torch, torch.nn.modules.linear as linear
        from torch.nn.modules.loss import MSELoss
        from torch.nn.modules.module import Module
        from torch.nn.parameter import Parameter
        from torch.optim.adam import Adam
        from torch.utils.data.dataloader import DataLoader
        from torch.utils.data.dataset import TensorDataset
        class Graph(Module):
            def __init__(self):
                super().__init__()
                self.weight = Parameter(torch.empty(4, 4))
                self.last = linear.Linear(4, 1)
            def forward(self, x):
                return self.last(torch.mm(x, self.weight))
        net = Graph()
        optimizer = Adam(net.parameters())
        for x, y in DataLoader(TensorDataset(torch.ones(8, 4), torch.ones(8, 1))):
            optimizer.zero_grad()
            MSELoss()(net(x), y).backward()
            optimizer.step()
        """
    )
    assert len(steps(execution)[0].gradients) == 2
    assert not execution.record.of("unclear backward")
