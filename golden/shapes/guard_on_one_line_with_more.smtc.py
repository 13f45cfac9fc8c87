import torch
from torch import nn
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main(dataset=None):
    device = xm.xla_device()
    model = nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal(), shuffle=False
    )
    for x, y in pl.MpDeviceLoader(
        DataLoader(dataset, batch_size=8 // xm.xrt_world_size(), drop_last=True, sampler=train_sampler), device):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)


def run():
    # all of it
    torch.manual_seed(0)
    xm.set_rng_state(0)
    main([])


def _mp_fn(index):
    run()


if __name__ == "__main__":
    run()
