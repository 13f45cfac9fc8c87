"""How a script starts its processes."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst
import pytest

from codemods.kit.launch import Launch
from codemods.kit.script import Script, read


def script(source: str) -> Script:
    return read(cst.parse_module("import torch\n" + dedent(source)))


@pytest.mark.parametrize(
    ("source", "kind", "several"),
    [
        ("x = torch.zeros(1).cuda()\n", Launch.SINGLE, False),
        ("torch.distributed.init_process_group('nccl')\n", Launch.ENVIRONMENT, True),
        ("import torch.distributed as dist\ndist.init_process_group('nccl')\n", Launch.ENVIRONMENT, True),
        ("from torch.nn.parallel import DistributedDataParallel as DDP\nm = DDP(m)\n", Launch.ENVIRONMENT, True),
        ("from apex.parallel import DistributedDataParallel as DDP\nm = DDP(m)\n", Launch.ENVIRONMENT, True),
        ("m = torch.nn.DataParallel(m)\n", Launch.DATA_PARALLEL, True),
        ("m = torch.nn.DataParallel(m)\ntorch.distributed.init_process_group()\n", Launch.ENVIRONMENT, True),
        ("import torch.multiprocessing as mp\nmp.spawn(main, nprocs=2)\n", Launch.SPAWN, True),
        ("from torch.multiprocessing import spawn\nspawn(main)\n", Launch.SPAWN, True),
        ("def _mp_fn(index):\n    pass\n", Launch.XLA, True),
        ("import torch_xla\ntorch_xla.launch(main)\n", Launch.XLA, True),
        ("import torch_xla.distributed.xla_multiprocessing as xmp\nxmp.spawn(main)\n", Launch.XLA, True),
        ("from transformers import Trainer\nTrainer().train()\n", Launch.TRAINER, False),
    ],
)
def test_kinds(source: str, kind: Launch, several: bool) -> None:
    launch = script(source).launch
    assert (launch.kind, launch.several) == (kind, several)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("import multiprocessing as mp\nmp.spawn(main)\n", id="another spawn"),
        pytest.param("from mylib import DataParallel\nm = DataParallel(m)\n", id="another DataParallel"),
        pytest.param("from mylib import init_process_group\ninit_process_group('nccl')\n", id="another group"),
        pytest.param("from torch.nn import DataParallel\nprint(isinstance(m, DataParallel))\n", id="only asked for"),
        pytest.param("class Trainer: pass\nTrainer()\n", id="an own Trainer"),
        pytest.param("class A:\n    def _mp_fn(self): pass\n", id="a method _mp_fn"),
        pytest.param("def f():\n    def _mp_fn(index): pass\n", id="a nested _mp_fn"),
        pytest.param("# torch.distributed.init_process_group('nccl')\n", id="a comment"),
    ],
)
def test_what_starts_nothing(source: str) -> None:
    assert script(source).launch.kind is Launch.SINGLE


@pytest.mark.parametrize(
    "call", ["mp.spawn(main, args=(1,), nprocs=2)", "mp.spawn(fn=main)", "mp.spawn(nprocs=2, fn=main)"]
)
def test_the_worker(call: str) -> None:
    found = script(f"import torch.multiprocessing as mp\ndef main(gpu): pass\n{call}\n").launch
    assert found.worker is not None
    assert found.worker.name.value == "main"
    assert len(found.spawns) == 1


def test_a_worker_from_elsewhere_is_not_known() -> None:
    found = script("import torch.multiprocessing as mp\nfrom other import main\nmp.spawn(main)\n").launch
    assert found.worker is None
    assert found.kind is Launch.SPAWN
