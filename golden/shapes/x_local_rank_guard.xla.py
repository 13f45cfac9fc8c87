import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


class Runner:
    def __init__(self, model, data, optimizer):
        self.gpu = xr.local_ordinal()
        device = torch_xla.device()
        self.model = model.to(device)
        self.data = data
        self.optimizer = optimizer

    def run_epoch(self, epoch):
        self.data.sampler.set_epoch(epoch)
        device = torch_xla.device()
        for x, y in pl.MpDeviceLoader(self.data, device):
            self.optimizer.zero_grad()
            F.mse_loss(self.model(x), y).backward()
            xm.optimizer_step(self.optimizer)

    def save(self, epoch):
        xm.save({"model": self.model.state_dict(), "epoch": epoch}, "snapshot.pt")
        if xm.is_master_ordinal(local=False):
            print(f"saved epoch {epoch}")

    def train(self, epochs):
        for epoch in range(epochs):
            self.run_epoch(epoch)
            if epoch % 2 == 0:
                self.save(epoch)


def build():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    data = TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
    model = torch.nn.Linear(4, 1)
    device = torch_xla.device()
    model.to(device)
    return data, model, torch.optim.SGD(model.parameters(), lr=0.1)


def main():
    data, model, optimizer = build()
    loader = DataLoader(
        data,
        batch_size=8,
        sampler=DistributedSampler(data, num_replicas=xr.world_size(), rank=xr.global_ordinal()),
        drop_last=True)
    Runner(model, loader, optimizer).train(4)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
