import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP


class Halves(torch.nn.Module):
    def __init__(self, dev0, dev1):
        super().__init__()
        self.dev0 = dev0
        self.dev1 = dev1
        self.first = torch.nn.Linear(10, 10).to(dev0)
        self.second = torch.nn.Linear(10, 5).to(dev1)

    def forward(self, x):
        x = x.to(self.dev0)
        x = torch.relu(self.first(x))
        x = x.to(self.dev1)
        return self.second(x)


def demo(rank, world_size):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    dev0 = rank * 2
    dev1 = rank * 2 + 1
    model = DDP(Halves(dev0, dev1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    labels = torch.randn(20, 5).to(dev1)
    torch.nn.functional.mse_loss(model(torch.randn(20, 10)), labels).backward()
    optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(demo, args=(torch.cuda.device_count() // 2,), nprocs=torch.cuda.device_count() // 2)
