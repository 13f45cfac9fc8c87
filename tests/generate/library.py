"""Definitions that programs may hold besides their main file: which module each belongs to, and its text.

`@name` is another one of these; what is named is taken along.
"""

from __future__ import annotations

CONFIG = {
    "device": '"cuda"', "width": "8", "lr": "0.1", "batch": "8", "epochs": "3", "steps": "10", "every": "2",
    "clip": "0.5", "seed": "7", "amp": "True", "parallel": "True", "path": '"model.pt"',
}  # fmt: skip
"""The settings of every program."""

DEFINITIONS: dict[str, tuple[str, str]] = {
    "build_model": ("models", "def build_model(width):\n    return @Net(width)"),
    "MODELS": ("models", 'MODELS = {"net": @Net}'),
    "create": ("models", 'def create(name, width):\n    return {"Net": @Net}[name](width)'),
    "pick_device": (
        "utils",
        'def pick_device():\n    if torch.cuda.is_available():\n        return torch.device("cuda:0")\n'
        '    return torch.device("cpu")',
    ),
    "place": ("utils", "def place(module<device_parameter>):\n    return module<local_to>"),
    "to_device": (
        "utils",
        "def to_device(data<device_parameter>):\n    if isinstance(data, (list, tuple)):\n"
        "        return [to_device(part<device_passed>) for part in data]\n    return data<local_to>",
    ),
    "moved": (
        "data",
        "def moved(loader<device_parameter>):\n    for batch in loader:\n        <unpack>\n"
        "        yield x<local_to>, y<local_to>",
    ),
    "DeviceLoader": (
        "data",
        """
        class DeviceLoader:
            def __init__(self, loader<device_parameter>):
                self.loader = loader
                <keep_device>

            def __iter__(self):
                for batch in self.loader:
                    <unpack>
                    yield x<self_device_to>, y<self_device_to>

            def __len__(self):
                return len(self.loader)
        """,
    ),
    "group_parameters": (
        "utils",
        "def group_parameters(model):\n    weights = [p for p in model.parameters() if p.dim() > 1]\n"
        "    others = [p for p in model.parameters() if p.dim() < 2]\n"
        '    return [{"params": weights, "weight_decay": 1e-2}, {"params": others}]',
    ),
    "make_optimizer": ("utils", "def make_optimizer(params, lr):\n    return torch.optim.SGD(params, lr=lr)"),
    "optimizer_of": (
        "utils",
        "def optimizer_of(model, lr):\n    return torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)",
    ),
    "OPTIMIZERS": ("utils", 'OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}'),
    "Steady": ("utils", "class Steady(torch.optim.SGD):\n    pass"),
    "make_scheduler": (
        "utils",
        "def make_scheduler(optimizer):\n    return torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.1)",
    ),
    "make_data": (
        "data",
        "def make_data(seed, count=40):\n    generator = torch.Generator().manual_seed(seed)\n"
        "    x = torch.randn(count, 4, generator=generator)\n"
        "    return TensorDataset(x, (x.sum(1) > 0).long())",
    ),
    "Points": (
        "data",
        """
        class Points(Dataset):
            def __init__(self, seed, count=40):
                generator = torch.Generator().manual_seed(seed)
                self.x = torch.randn(count, 4, generator=generator)
                self.y = (self.x.sum(1) > 0).long()

            def __len__(self):
                return len(self.x)

            def __getitem__(self, index):
                return self.x[index], self.y[index]
        """,
    ),
    "make_loader": ("data", "def make_loader(dataset, batch_size):\n    return <loader_call>"),
    "Data": (
        "data",
        """
        class Data:
            def __init__(self, dataset, batch_size):
                self.dataset = dataset
                self.batch_size = batch_size

            def batches(self):
                dataset, batch_size = self.dataset, self.batch_size
                return <loader_call>
        """,
    ),
    "collate_dict": (
        "data",
        'def collate_dict(samples):\n    x, y = zip(*samples)\n    return {"x": torch.stack(x), "y": torch.stack(y)}',
    ),
    "collate_nested": (
        "data",
        "def collate_nested(samples):\n    x, y = zip(*samples)\n"
        "    return (torch.stack(x), len(samples)), torch.stack(y)",
    ),
    "collate_namespace": (
        "data",
        "class Batch:\n    def __init__(self, samples):\n        x, y = zip(*samples)\n"
        "        self.x, self.y = torch.stack(x), torch.stack(y)\n\n\n"
        "def collate_namespace(samples):\n    return Batch(samples)",
    ),
    "cycle": ("data", "def cycle(loader):\n    while True:\n        yield from loader"),
    "Progress": (
        "utils",
        """
        class Progress:
            def __init__(self, items):
                self.items = items

            def __iter__(self):
                yield from self.items

            def __len__(self):
                return len(self.items)
        """,
    ),
    "Smooth": (
        "models",
        """
        class Smooth(nn.Module):
            def __init__(self, amount):
                super().__init__()
                self.amount = amount

            def forward(self, output, target):
                logs = F.log_softmax(output, 1)
                exact = -logs.gather(1, target.unsqueeze(1)).squeeze(1)
                return ((1 - self.amount) * exact - self.amount * logs.mean(1)).mean()
        """,
    ),
    "parallel": ("utils", "def parallel(model):\n    return nn.DataParallel(model<options>)"),
    "distribute": ("utils", "def distribute(model):\n    return DDP(model<options>)"),
    "is_main": ("utils", "def is_main():\n    return dist.get_rank() == 0"),
    "seed_everything": (
        "utils",
        "def seed_everything(seed):\n    random.seed(seed)\n    torch.manual_seed(seed)\n"
        "    torch.cuda.manual_seed_all(seed)",
    ),
    "start_file": (
        "models",
        "def start_file(width):\n    model = <maker>\n    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        '    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "start.pt")\n'
        '    return "start.pt"',
    ),
    "clip": ("utils", "def clip(model, limit):\n    nn.utils.clip_grad_norm_(model.parameters(), limit)"),
    "update": ("utils", "def update(optimizer):\n    optimizer.step()"),
    "update_scaled": (
        "utils",
        "def update_scaled(scaler, optimizer):\n    scaler.step(optimizer)\n    scaler.update()",
    ),
    "Stepper": (
        "utils",
        """
        class Stepper:
            def __init__(self, optimizer):
                self.inner = optimizer

            def step(self):
                self.inner.step()
        """,
    ),
    "Meter": (
        "utils",
        """
        class Meter:
            def __init__(self):
                self.total, self.count = 0.0, 0

            def add(self, value, count):
                self.total += value * count
                self.count += count

            @property
            def mean(self):
                return self.total / self.count
        """,
    ),
    "Average": (
        "utils",
        """
        class Average:
            def __init__(self, model, decay):
                self.decay = decay
                self.kept = {name: p.detach().clone() for name, p in model.named_parameters()}

            @torch.no_grad()
            def update(self, model):
                for name, p in model.named_parameters():
                    self.kept[name].mul_(self.decay).add_(p.detach(), alpha=1 - self.decay)

            def size(self):
                return sum(value.abs().sum().item() for value in self.kept.values())
        """,
    ),
    "save_model": ("utils", "def save_model(model, path):\n    torch.save(model.state_dict(), path)"),
    "main_only": (
        "utils",
        "def main_only(function):\n    @functools.wraps(function)\n    def call(*args, **kwargs):\n"
        "        if dist.get_rank() == 0:\n            function(*args, **kwargs)\n\n    return call",
    ),
    "Engine": (
        "engine",
        """
        class Engine:
            def __init__(self, step):
                self.step, self.handlers = step, {}

            def on(self, event, handler):
                self.handlers[event] = handler

            def run(self, make_batches, epochs):
                for epoch in range(epochs):
                    self.handlers["start"](epoch)
                    for number, batch in enumerate(make_batches()):
                        self.step(number, batch)
                    self.handlers["end"](epoch)
        """,
    ),
    "Learner": (
        "engine",
        """
        class Learner(nn.Module):
            def __init__(self, model, criterion, optimizer<clip_parameter>):
                super().__init__()
                self.model, self.criterion, self.optimizer = model, criterion, optimizer
                <clip_kept>

            def forward(self, x, y):
                <learn>
                return loss
        """,
    ),
    "Munch": (
        "utils",
        """
        class Munch(dict):
            def __getattr__(self, name):
                return self[name]

            def __setattr__(self, name, value):
                self[name] = value
        """,
    ),
    "read_settings": (
        "settings",
        "def read_settings(text):\n    pairs = [line.split(': ') for line in text.strip().splitlines()]\n"
        "    return {name: eval(value) for name, value in pairs}",
    ),
}

IMPORTS = {
    "torch": "import torch", "nn": "from torch import nn", "F": "import torch.nn.functional as F",
    "os": "import os", "sys": "import sys", "random": "import random", "copy": "import copy",
    "argparse": "import argparse", "functools": "import functools", "contextlib": "import contextlib",
    "SimpleNamespace": "from types import SimpleNamespace", "dataclass": "from dataclasses import dataclass",
    "DataLoader": "from torch.utils.data import DataLoader",
    "TensorDataset": "from torch.utils.data import TensorDataset",
    "Dataset": "from torch.utils.data import Dataset", "Subset": "from torch.utils.data import Subset",
    "RandomSampler": "from torch.utils.data import RandomSampler",
    "DistributedSampler": "from torch.utils.data.distributed import DistributedSampler",
    "dist": "import torch.distributed as dist", "mp": "import torch.multiprocessing as mp",
    "DDP": "from torch.nn.parallel import DistributedDataParallel as DDP",
    "clip_grad_norm_": "from torch.nn.utils import clip_grad_norm_",
    "AveragedModel": "from torch.optim.swa_utils import AveragedModel",
}  # fmt: skip
"""The import of each name of a library."""
