import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    dist.init_process_group("nccl")
    model = DistributedDataParallel(nn.Linear(4, 2).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        model(torch.randn(8, 4).cuda()).sum().backward()
        optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "last.pt")
    report()


def report():
    if dist.get_rank() == 0:
        print(torch.load("last.pt", map_location="cpu").keys())


if __name__ == "__main__":
    main()
