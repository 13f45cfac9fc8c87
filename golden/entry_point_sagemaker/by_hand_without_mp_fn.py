"""Migrated by hand after a guide that does not speak of _mp_fn."""
import torch
import torch_xla.core.xla_model as xm
from torch.utils.data.distributed import DistributedSampler


def train(model, loader, optimizer):
    for x, y in loader:
        model(x).sum().backward()
        xm.optimizer_step(optimizer)


if __name__ == "__main__":
    model = torch.nn.Linear(4, 2).to(xm.xla_device())
    sampler = DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    train(model, torch.utils.data.DataLoader(dataset, sampler=sampler), torch.optim.SGD(model.parameters(), lr=0.1))
