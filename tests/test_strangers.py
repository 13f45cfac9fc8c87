"""Texts that are no CUDA training scripts: those that only look like one, and those made to break a parser."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.migration import Status
from migrate.pipeline import migrate
from tests.goldens import TARGETS

HOUSE = Path(__file__).parent.parent
EACH_TARGET = pytest.mark.parametrize("target", sorted(TARGETS))

# --- scripts that have nothing to do with CUDA --------------------------------------------------------------------

STRANGERS = {
    "own cuda": """
class Car:
    def cuda(self):
        return self

    def to(self, device):
        return self

car = Car().cuda()
car.to("cuda")
car.to(device="cuda:0").cuda(0)
""",
    "strings": """
import argparse

parser = argparse.ArgumentParser(description="torch.cuda.is_available() and friends")
parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda", help="cuda or cpu")
parser.add_argument("--local_rank", type=int, default=0)
path = "/usr/local/cuda/bin"
print("running on cuda", f"cuda:{0}", "nccl")
""",
    "comments": """
# torch.cuda.synchronize()
import numpy as np  # optimizer.step()

# model = model.cuda()
data = np.zeros(3)  # .cuda()
""",
    "own cuda beside torch": """
import torch

class Car:
    def cuda(self):
        return self

    def to(self, device):
        return self

    def move(self, device):
        return device

car = Car().cuda()
car.to("cuda").to(device="cuda:0").cuda(0)
car.move(device="cuda")
print(torch.__version__)
""",
    "own training": """
class Optimizer:
    def zero_grad(self): pass
    def step(self): pass

class Loss:
    def backward(self): pass
    def item(self): return 0

class DataLoader(list):
    pass

optimizer = Optimizer()
for i, (x, y) in enumerate(DataLoader([(1, 2)])):
    optimizer.zero_grad()
    loss = Loss()
    loss.backward()
    optimizer.step()
    print(i, loss.item())
""",
    "other frameworks": """
import tensorflow as tf
from mylib import cuda, amp, GradScaler, DistributedDataParallel as DDP
from mylib.distributed import init_process_group

init_process_group("nccl")
cuda.set_device(0)
scaler = GradScaler()
with amp.autocast():
    model = DDP(tf.keras.Model().cuda(), device_ids=[0])
with tf.device("cuda:0"):
    scaler.scale(model.loss).backward()
scaler.step(model.optimizer)
""",
    "its own torch": """
class torch:
    class cuda:
        @staticmethod
        def is_available():
            return True

    @staticmethod
    def device(name):
        return name

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
""",
}


@pytest.mark.parametrize("source", STRANGERS.values(), ids=STRANGERS.keys())
@EACH_TARGET
def test_scripts_that_only_look_like_it_are_left_alone(source: str, target: str) -> None:
    migration = migrate(source, target=TARGETS[target])
    assert (migration.status, migration.result) == (Status.UNCHANGED, source)
    assert {note.rule for note in migration.notes} <= {"TC114"}  # "is a method of the script's own"


# --- hostile texts ------------------------------------------------------------------------------------------------

HOSTILE = {
    "brackets": "'import torch\\nx = ' + '[' * 5000 + ']' * 5000",
    "open brackets": "'import torch\\nx = ' + '(' * 5000",
    "a chain of calls": "'import torch\\nx = y' + '.cuda()' * 5000",
    "a long sum": "'import torch\\nx = ' + ' + '.join(['y.cuda()'] * 5000)",
    "a NUL": "'import torch\\nx = \"a\\0b\"'",
    "two megabytes": "'import torch\\n' + 'x = torch.zeros(1).cuda()\\n' * 90000",
    "nested functions": "''.join(' ' * i + 'def f():\\n' for i in range(99)) + ' ' * 99 + 'pass'",
    "too many blocks": "''.join(' ' * i + 'if x:\\n' for i in range(150)) + ' ' * 150 + 'pass'",
    "lambdas": "'x = ' + 'lambda: ' * 3000 + '1'",
    "unary": "'x = ' + '-' * 20000 + '1'",
    "comparisons": "'x = ' + ' < '.join(['y'] * 5000)",
    "elifs": "'if x: pass\\n' + 'elif y: pass\\n' * 3000",
    "not a script": "'<html>\\n'",
    "empty": "''",
    "only a comment": "'# torch'",
    "a form feed": "'import torch\\n\\fx = torch.zeros(1).cuda()\\n'",
    "old line ends": "'import torch\\rx = torch.zeros(1).cuda()\\r'",
    "mixed line ends": "'import torch\\r\\nx = torch.zeros(1).cuda()\\ny = x\\r\\n'",
    "a byte order mark": "'\\ufeffimport torch\\nx = torch.zeros(1).cuda()\\n'",
    "surrogates": "'import torch\\nx = \"\\ud800\"\\n'",
    "no line end": "'import torch; torch.zeros(1).cuda()'",
    "a continued end": "'import torch\\nx = torch.zeros(1).cuda() \\\\\\n'",
}
SKIPPED = {"brackets", "open brackets", "a chain of calls", "a long sum", "a NUL", "two megabytes", "too many blocks",
           "lambdas", "unary", "not a script", "elifs", "surrogates",
           "a continued end", "a form feed", "old line ends"}  # fmt: skip


@pytest.fixture(scope="module")
def hostile() -> dict[str, dict[str, str]]:
    """Every hostile text migrated in a process of its own, which a crash of the native parser would end."""
    texts = ", ".join(f"{name!r}: {code}" for name, code in HOSTILE.items())
    code = (
        "import json, sys\n"
        "from migrate.pipeline import migrate\n"
        f"texts = {{{texts}}}\n"
        "for name, text in texts.items():\n"
        "    found = migrate(text)\n"
        "    said = {'name': name, 'status': found.status.value, 'reason': found.reason}\n"
        "    print(json.dumps({**said, 'same': found.result == text}), flush=True)\n"
    )
    code = code.replace("migrate(text)", "migrate(text, target=Target.parse('smtc'))").replace(
        "import json, sys", "import json\nfrom codemods.kit.targets import Target"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=HOUSE, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-2000:]
    return {said["name"]: said for said in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_skipped_with_a_reason_or_survived(name: str, hostile: dict[str, dict[str, str]]) -> None:
    said = hostile[name]
    assert said["status"] != "failed", said["reason"]
    assert (said["status"] == "skipped") is (name in SKIPPED), said
    assert bool(said["reason"]) is (name in SKIPPED)
    assert said["same"] or said["status"] == "migrated"
