import os

import torch
import torch.nn.functional as F
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Runner:
    def __init__(self, model, data, optimizer):
        self.gpu = int(os.environ["LOCAL_RANK"])
        self.model = model.to(self.gpu)
        self.data = data
        self.optimizer = optimizer
        self.model = DDP(self.model, device_ids=[self.gpu])

    def run_epoch(self, epoch):
        self.data.sampler.set_epoch(epoch)
        for x, y in self.data:
            x = x.to(self.gpu)
            y = y.to(self.gpu)
            self.optimizer.zero_grad()
            F.mse_loss(self.model(x), y).backward()
            self.optimizer.step()

    def save(self, epoch):
        torch.save({"model": self.model.module.state_dict(), "epoch": epoch}, "snapshot.pt")
        print(f"saved epoch {epoch}")

    def train(self, epochs):
        for epoch in range(epochs):
            self.run_epoch(epoch)
            if self.gpu == 0 and epoch % 2 == 0:
                self.save(epoch)


def build():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
    model = torch.nn.Linear(4, 1)
    return data, model, torch.optim.SGD(model.parameters(), lr=0.1)


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    init_process_group(backend="nccl")
    data, model, optimizer = build()
    loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data), drop_last=True)
    Runner(model, loader, optimizer).train(4)
    destroy_process_group()


if __name__ == "__main__":
    main()
