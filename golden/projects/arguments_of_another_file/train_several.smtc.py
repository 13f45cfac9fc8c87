import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from options import Options


def main():
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
    model = nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    loader = DataLoader(data, batch_size=8 // xm.xrt_world_size(), sampler=train_sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


def run():
    global args

    args = Options().parse()
    main()


def _mp_fn(index):
    run()


if __name__ == "__main__":
    run()
