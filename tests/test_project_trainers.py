"""Trainer classes, step functions and configurations that are spread over files."""

from __future__ import annotations

from codemods.kit.targets import Target
from migrate.migration import Migration
from migrate.project import link, migrate_project

BASE = """\
import torch


class Base:
    def __init__(self, model, optimizer, config):
        self.device = torch.device("cuda")
        self.model = model.to(self.device)
        self.optimizer = optimizer
        self.scaler = torch.cuda.amp.GradScaler(enabled=config.amp)
"""
TRAINER = """\
import torch
from base import Base


class Trainer(Base):
    def __init__(self, model, optimizer, config, loader):
        super().__init__(model, optimizer, config)
        self.loader = loader

    def train(self):
        for x in self.loader:
            x = x.to(self.device)
            self.optimizer.zero_grad()
            loss = self.model(x).sum()
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
"""
MAIN = """\
import torch
from trainer import Trainer


def main(config):
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    Trainer(model, optimizer, config, loader=torch.utils.data.DataLoader([torch.ones(1)])).train()
"""
PROJECT = {"base.py": BASE, "trainer.py": TRAINER, "main.py": MAIN}


def migrated(sources: dict[str, str], target: str = "torch-xla==2.9") -> dict[str, Migration]:
    return dict(migrate_project(sources, target=Target.parse(target)))


def test_what_super_is_passed_comes_to_the_attributes_of_the_base() -> None:
    attributes = link(PROJECT).links("trainer.py").attributes
    assert [known.of for known in attributes["Trainer", "optimizer"]] == ["torch.optim.AdamW"]


def test_a_subclass_in_another_file_wraps_its_loader_with_the_device_of_the_base() -> None:
    result = migrated(PROJECT)["trainer.py"].result
    assert "for x in pl.MpDeviceLoader(self.loader, self.device):" in result
    assert "x.to(" not in result


def test_an_optimizer_stepped_by_a_subclass_through_the_scaler_of_its_base_becomes_syncfree() -> None:
    result = migrated(PROJECT, "smtc")
    assert "syncfree.AdamW(model.parameters())" in result["main.py"].result
    assert "xm._fetch_gradients(self.optimizer)" in result["trainer.py"].result
    assert not [note for note in result["trainer.py"].notes if note.rule == "TC332"]


def test_a_model_that_a_trainer_of_another_file_moves_is_moved_before_its_optimizer_is_built() -> None:
    result = migrated(PROJECT)
    lines = [line.strip() for line in result["main.py"].result.splitlines()]
    assert lines.index("model.to(device)") == lines.index("optimizer = torch.optim.AdamW(model.parameters())") - 1
    assert not [note for note in result["base.py"].notes if note.rule == "TC110"]


def test_a_model_moved_before_its_optimizer_is_built_is_not_moved_again() -> None:
    placed = MAIN.replace("Linear(1, 1)\n", "Linear(1, 1).cuda()\n")
    assert migrated({**PROJECT, "main.py": placed})["main.py"].result.count(".to(device)") == 1


def test_a_scaler_goes_when_every_file_does_without_it_and_stays_when_one_is_given_it() -> None:
    assert "GradScaler" not in migrated(PROJECT)["base.py"].result
    lent = TRAINER.replace("self.scaler.scale(loss).backward()", "compute(self.scaler, loss)")
    result = migrated({**PROJECT, "trainer.py": lent})["base.py"]
    assert "self.scaler = torch.cuda.amp.GradScaler" in result.result
    assert [note.rule for note in result.notes] == ["TC323"]


def test_a_function_that_only_other_files_show_to_step_is_executed_by_their_loop() -> None:
    steps = "def step(scaler, loss, optimizer):\n    scaler.scale(loss).backward()\n    scaler.step(optimizer)\n"
    main = MAIN.replace("trainer import Trainer", "steps import step") + (
        "    scaler = torch.cuda.amp.GradScaler()\n    model.cuda()\n"
        "    for x in torch.utils.data.DataLoader([torch.ones(1)]):\n"
        "        step(scaler, model(x.cuda()).sum(), optimizer)\n        scaler.update()\n"
    )
    main = "".join(line for line in main.splitlines(keepends=True) if "Trainer(" not in line)
    linked = link({"steps.py": steps, "main.py": main})
    assert linked.links("steps.py").looped == {"step"}
    assert len(linked.links("main.py").steps) == 1
    assert len(linked.links("main.py").scaled) == 1


IMPORTS = "import torch\n\nfrom config import Config\n\n\n"
CONFIG = 'class Config:\n    device: str = "cuda"\n'


def test_a_device_named_in_one_file_and_used_in_another_becomes_xla() -> None:
    use = f"{IMPORTS}def move(model, config: Config):\n    return model.to(config.device)\n"
    result = migrated({"config.py": CONFIG, "use.py": use})
    assert 'device: str = "xla"' in result["config.py"].result
    assert not result["use.py"].notes


def test_a_device_named_in_one_file_and_asked_in_another_chooses_nothing_any_more() -> None:
    use = f"{IMPORTS}def move(model, config: Config):\n    return model.to(torch.device(config.device))\n"
    result = migrated({"config.py": CONFIG, "use.py": use})
    assert result["config.py"].result == CONFIG
    assert [note.rule for note in result["config.py"].notes] == ["TC108"]


def test_a_device_that_is_defined_too_late_is_defined_once_above_its_first_use() -> None:
    source = (
        "import torch\n\n\ndef main(args):\n    model = torch.nn.Linear(1, 1).cuda()\n"
        "    if torch.cuda.is_available():\n        device = torch.device('cuda')\n"
        "    else:\n        device = torch.device('cpu')\n    return model(torch.ones(1).to(device))\n"
    )
    result = migrated({"main.py": source})["main.py"].result
    assert result.count("torch_xla.device()") == 1
    assert "xla_device" not in result


def test_a_loader_of_a_data_parallel_script_is_split_where_another_file_builds_it() -> None:
    data = (
        "from torch.utils.data import DataLoader\n\n\ndef make(data):\n"
        "    return DataLoader(data, batch_size=8, shuffle=True)\n"
    )
    main = (
        "import torch\nfrom data import make\n\nmodel = torch.nn.DataParallel(torch.nn.Linear(1, 1)).cuda()\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nfor x in make([torch.ones(1)]):\n"
        "    model(x.cuda()).sum().backward()\n    optimizer.step()\n"
    )
    result = migrated({"data.py": data, "main.py": main})["data.py"]
    assert "DataLoader(data, batch_size=8 // xr.world_size(), sampler=train_sampler)" in result.result
    assert [note.rule for note in result.notes] == ["TC223"]
