import torch
import torch.multiprocessing as mp
from torch import nn
import torch_xla


def evaluate(model):
    device = torch_xla.device()
    with torch.no_grad():
        return model(torch.ones(2, 4).to(device)).sum()


def worker(rank, steps):
    device = torch_xla.device()
    model = nn.Linear(4, 2).to(device)
    for _ in range(steps):
        loss = model(torch.randn(8, 4, device=device)).pow(2).mean()
        loss.backward()
    return evaluate(model)


if __name__ == "__main__":
    mp.spawn(worker, args=(3,), nprocs=2)
