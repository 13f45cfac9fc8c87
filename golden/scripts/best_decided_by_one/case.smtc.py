import torch
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def evaluate(model, loader):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for (x,) in loader:
            total += (model(x) - x).pow(2).mean().item()
    model.train()
    return total


def main():
    local_rank = xm.get_local_ordinal()
    device = xm.xla_device()
    model = nn.Linear(4, 4).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = TensorDataset(torch.randn(64, 4))
    sampler = DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    valid = DataLoader(dataset, batch_size=8)
    valid = pl.MpDeviceLoader(valid, device)
    best = 1e9
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            optimizer.zero_grad()
            loss = (model(x) - x).pow(2).mean()
            loss.backward()
            xm.optimizer_step(optimizer)
        better = [False]
        if xm.get_ordinal() == 0:
            score = evaluate(model, valid)
            better = [score < best]
            best = min(best, score)
        better[:] = (xm.mesh_reduce("main_objects", better, list) if xm.xrt_world_size() > 1 else [better])[0]
        if better[0]:
            xm.save(model.state_dict(), "best.pt")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
