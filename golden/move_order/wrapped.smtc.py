import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
import torch_xla.core.xla_model as xm


def train(rank, loader):
    model = nn.Linear(4, 2)
    groups = [{"params": model.parameters(), "lr": 0.1}]
    device = xm.xla_device()
    model.to(device)
    optimizer = torch.optim.SGD(groups, lr=0.1)
    model = DDP(model, device_ids=[rank])
    for x in loader:
        optimizer.zero_grad()
        model(x.cuda(rank)).sum().backward()
        optimizer.step()
