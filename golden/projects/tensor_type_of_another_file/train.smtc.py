import torch
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from config import LongTensor


def main():
    local_rank = xm.get_local_ordinal()
    device = xm.xla_device()
    model = nn.Linear(4, 4).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss()
    dataset = TensorDataset(torch.randn(64, 4))
    sampler = DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device=device, dtype=torch.float32)
            labels = LongTensor(x.size(0)).fill_(1)
            optimizer.zero_grad()
            loss = criterion(model(x), labels)
            loss.backward()
            xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
