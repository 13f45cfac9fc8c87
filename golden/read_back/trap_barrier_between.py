import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def start(model):
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "start.pt")
    dist.barrier()
    return "start.pt"


def main():
    dist.init_process_group("nccl")
    model = nn.Linear(4, 2).cuda()
    model.load_state_dict(torch.load(start(model), map_location="cpu"))
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        model(torch.randn(8, 4).cuda()).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    main()
