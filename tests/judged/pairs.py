"""A program on CUDA and what an expert makes of it, to be broken in one place or in both alike."""

from __future__ import annotations

from codemods.kit.targets import Target
from migrate.engine.certificate import Standing
from migrate.engine.judge import judge

_BODY = """
import copy, itertools, os, random, time, torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from data import dataset, test_dataset
{imports}

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)

    def forward(self, x):
        return self.two(self.one(x))

def train(rank, epochs):
    {start}
    sampler = DistributedSampler(dataset, num_replicas={world}, rank={rank})
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    {loader}
    net = Net().to({device})
    {net}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    if os.path.exists("last.pt"):
        state = torch.load("last.pt", map_location="cpu")
        {bare}.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for i, (x, y) in enumerate(loader):
            {batch}
            optimizer.zero_grad()
            loss = (net(x) - y).pow(2).mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            {step}
        if {rank} == 0:
            torch.save({{"net": {bare}.state_dict(), "optimizer": optimizer.state_dict()}}, "last.pt")

if __name__ == "__main__":
    {launch}
"""
ORIGINAL = _BODY.format(
    imports="import torch.distributed as dist\nimport torch.multiprocessing as mp",
    start='dist.init_process_group("nccl"); torch.cuda.set_device(rank)',
    world="dist.get_world_size()",
    rank="rank",
    loader="",
    device="rank",
    net="net = torch.nn.parallel.DistributedDataParallel(net, device_ids=[rank])",
    bare="net.module",
    batch="x, y = x.to(rank), y.to(rank)",
    step="optimizer.step()",
    launch="mp.spawn(train, (int(os.environ['EPOCHS']),), nprocs=torch.cuda.device_count())",
)
MIGRATED = _BODY.format(
    imports="import torch_xla, torch_xla.core.xla_model as xm, torch_xla.runtime as xr\n"
    "import torch_xla.distributed.parallel_loader as pl",
    start="device = torch_xla.device()",
    world="xr.world_size()",
    rank="xr.global_ordinal()",
    loader="loader = pl.MpDeviceLoader(loader, device)",
    device="device",
    net="xm.broadcast_master_param(net)",
    bare="net",
    batch="",
    step="optimizer.step()",
    launch="torch_xla.launch(train, (int(os.environ['EPOCHS']),))",
).replace("            torch.nn.utils", "            xm.reduce_gradients(optimizer)\n            torch.nn.utils")


def changed(text: str, *changes: tuple[str, str]) -> str:
    """A text with its one place of each kind written otherwise."""
    for old, new in changes:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    return text


Changes = tuple[tuple[str, str], ...]


def said(*changes: tuple[str, str], both: bool | Changes = False, costs: bool = False) -> list[str]:
    """What the judge says of the migrated program with these changes. `both`: those that its original has too."""
    then = (changes if both else ()) if isinstance(both, bool) else both
    original, migrated = changed(ORIGINAL, *then), changed(MIGRATED, *changes)
    found = judge({"train.py": migrated}, {"train.py": original}, target=Target.parse("torch-xla==2.9"))
    lines = ["", *migrated.split("\n")]
    wanted = [one for one in found.findings if costs or one.standing in (Standing.VIOLATED, Standing.OPEN)]
    return [f"{one.message} | {lines[one.line].strip()}" for one in wanted]
