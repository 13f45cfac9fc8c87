import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main():
    local_rank = xm.get_local_ordinal()
    torch.manual_seed(1)
    xm.set_rng_state(1)
    data = TensorDataset(torch.randn(64, 8))
    device = xm.xla_device()
    loader = DataLoader(
        data,
        batch_size=4,
        sampler=DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(8, 8).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for (features,) in loader:
        loss = (model(features) - features).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
