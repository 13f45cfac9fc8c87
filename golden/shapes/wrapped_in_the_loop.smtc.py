"""The first batch finds the model unwrapped: what DataParallel did once for all is done before the loop."""
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, model, loader, devices):
        self.model, self.loader, self.devices = model, loader, devices
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)

    def train(self):
        xm.collective_broadcast(list(self.model.parameters()) + list(self.model.buffers()))
        xm.mark_step()
        device = xm.xla_device()
        for epoch in range(2):
            self.loader.sampler.set_epoch(epoch)
            for x, y in pl.MpDeviceLoader(self.loader, device):
                loss = F.cross_entropy(self.model(x), y)
                self.opt.zero_grad()
                loss.backward()
                xm.optimizer_step(self.opt)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, nargs="+", default=[0])
    args = parser.parse_args()
    device = xm.xla_device()
    model = nn.Linear(4, 4).to(device)
    data = TensorDataset(torch.randn(32, 4), torch.randint(0, 4, (32,)))
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    loader = DataLoader(data, batch_size=8 // xm.xrt_world_size(), sampler=train_sampler, drop_last=True)
    Trainer(model, loader, args.devices).train()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
