import torch
import torch_xla.core.xla_model as xm
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def train(model, optimizer, loader):
    for x, y in loader:
        model(x).sum().backward()
        xm.optimizer_step(optimizer)


def _mp_fn(index):
    model = torch.nn.Linear(4, 2).to(xm.xla_device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sampler = DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    ordered = DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal(), shuffle=False)
    in_order = DataLoader(dataset, batch_size=8, sampler=ordered)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        train(model, optimizer, loader)
        train(model, optimizer, in_order)
