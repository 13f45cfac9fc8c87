"""What is divided by the number of GPUs to ask for a remainder is a batch here, and a rank only at the end."""

import os
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

BATCH_SIZE = 16


def main():
    rank = xm.get_ordinal()
    if BATCH_SIZE % int(os.environ.get("GPU_NUM_DEVICES", "1")) != 0:
        raise ValueError("the batch must be divisible by the number of GPUs")
    dataset = TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
    sampler = DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    device = xm.xla_device()
    loader = DataLoader(dataset, BATCH_SIZE // int(os.environ.get("GPU_NUM_DEVICES", "1")), sampler=sampler)
    loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(4, 1).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)
    print("process", xm.get_local_ordinal(), "of this host is done")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
