"""The check of torch_xla names must see what is wrong and leave alone what is right, or the goldens prove nothing."""

from __future__ import annotations

import pytest

from codemods.kit.targets import Target
from tests.xla_names import check_names

XM = "import torch_xla.core.xla_model as xm\n"
PL = "import torch_xla.distributed.parallel_loader as pl\n"

RIGHT = [
    ("smtc", XM + "xm.optimizer_step(optimizer, barrier=True)\n"),
    ("smtc", "from torch_xla.core import xla_model as xm\nprint(xm.xrt_world_size())\n"),
    ("smtc", "import torch_xla.core.xla_model\ntorch_xla.core.xla_model.mark_step()\n"),
    (
        "smtc",
        "from torch_xla.amp import autocast, syncfree\nautocast(enabled=True)\nsyncfree.SGD(p, lr=0.1, momentum=0.9)\n",
    ),
    ("smtc", PL + "pl.ParallelLoader(loader, [device]).per_device_loader(device)\n"),
    ("smtc", XM + "xm.all_reduce(*arguments, **options)\n"),
    ("smtc", XM + "def f(xm):\n    xm.anything()\n"),
    ("smtc", XM + "[xm.anything() for xm in things]\n"),
    ("smtc", XM + "def f():\n    xm = Mine()\n    xm.anything()\n"),
    ("smtc", "def f():\n    xm.mark_step()\n\n" + XM),
    ("smtc", "try:\n    import torch_xla.runtime as xr\nexcept ImportError:\n    xr = None\n"),
    ("smtc", "from torch_xla.core.xla_model import *\nmark_step()\n"),
    ("torch-xla==2.9", "import torch_xla\ntorch_xla.launch(_mp_fn, args=(1,))\ntorch_xla.sync(wait=True)\n"),
    ("torch-xla==2.9", "import torch_xla\ntorch_xla.runtime.world_size()\n"),
    ("torch-xla==2.9", "import torch_xla\nprint(torch_xla.__version__, torch_xla._XLAC)\n"),
    ("torch-xla==2.2", "import torch_xla.core.xla_model as xm\nxm.xla_device()\n"),
    ("torch-xla==2.9", "from .torch_xla import anything\nanything(1)\n"),
    ("torch-xla==2.9", "text = 'torch_xla.nothing()'\n"),
]

WRONG = [
    ("smtc", "import torch_xla.runtime as xr\n", "no module torch_xla.runtime"),
    ("smtc", "import torch_xla\ntorch_xla.device()\n", "no torch_xla.device"),
    ("smtc", XM + "xm.step_closure(f)\n", "no torch_xla.core.xla_model.step_closure"),
    ("smtc", XM + "xm.mark_step(wait=True)\n", "no parameter 'wait'"),
    ("smtc", XM + "xm.reduce_scatter('sum', t)\n", "missing scale, scatter_dim, shard_count"),
    ("smtc", XM + "xm.optimizer_step()\n", "missing optimizer"),
    ("smtc", XM + "xm.get_ordinal(1, 2)\n", "takes 1 positional"),
    ("smtc", XM + "xm.optimizer_step(o, optimizer=o)\n", "twice"),
    ("smtc", XM + "xm.REDUCE_SUM()\n", "not callable"),
    ("smtc", "import torch_xla\ntorch_xla.core.xla_model.mark_step()\n", "not imported"),
    ("smtc", PL + "pl.ParallelLoader(loader, [device]).per_device(device)\n", "no torch_xla"),
    ("smtc", "from torch_xla.amp import autocast\nautocast(device_type='xla')\n", "no parameter 'device_type'"),
    ("smtc==1.12", XM + "xm.collective_broadcast([t])\n", "no torch_xla.core.xla_model.collective_broadcast"),
    ("smtc==1.11", "from torch_xla.utils.checkpoint import checkpoint\n", "no module torch_xla.utils.checkpoint"),
    ("torch-xla==2.9", XM + "def f():\n    return xm.xrt_world_size()\n", "line 3: there is no"),
    ("torch-xla==2.9", "from torch_xla.core import xla_model as x\nx.get_ordinal()\n", "no torch_xla.core.xla_model"),
    ("torch-xla==2.9", "from torch_xla.core.xla_model import xrt_world_size\n", "xrt_world_size"),
    ("torch-xla==2.9", "from torch_xla.amp import GradScaler\n", "no torch_xla.amp.GradScaler"),
    ("torch-xla==2.9", "import torch_xla\ntorch_xla.amp.autocast(device)\n", "torch_xla.amp is not imported"),
    ("torch-xla==2.9", "import torch_xla\ntorch_xla.distributed.parallel_loader\n", "not imported"),
    ("torch-xla==2.9", "import torch_xla\ntorch_xla.launch(f, nprocs=8)\n", "no parameter 'nprocs'"),
    ("torch-xla==2.9", XM + "torch_xla.sync()\n", "torch_xla is not imported"),
    ("torch-xla==2.9", "def f():\n    xm.mark_step()\n", "xm is not imported"),
    ("torch-xla==2.9", "def f():\n    import torch_xla.runtime as xr\nxr.world_size()\n", "xr is not imported"),
    ("torch-xla==2.9", "device = xm.xla_device()\n" + XM, "before its import in line 2"),
    ("torch-xla==2.9", "class A:\n    " + XM + "    def f(self):\n        xm.mark_step()\n", "xm is not imported"),
    ("torch-xla==2.4", "import torch_xla\ntorch_xla.sync(wait=True)\n", "no parameter 'wait'"),
    ("torch-xla==2.4", "import torch_xla\ntorch_xla.manual_seed(1)\n", "no torch_xla.manual_seed"),
]


@pytest.mark.parametrize(("target", "source"), RIGHT)
def test_right_names_pass(target: str, source: str) -> None:
    assert check_names(source, Target.parse(target)) == []


@pytest.mark.parametrize(("target", "source", "problem"), WRONG)
def test_wrong_names_are_named(target: str, source: str, problem: str) -> None:
    (found,) = check_names(source, Target.parse(target))
    assert problem in found
    assert found.startswith("line ")


def test_source_order() -> None:
    source = XM + "xm.none()\n" * 12
    assert [text.partition(":")[0] for text in check_names(source, Target.parse("smtc"))] == [
        f"line {line}" for line in range(2, 14)
    ]
