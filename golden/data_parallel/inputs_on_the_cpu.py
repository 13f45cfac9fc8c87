import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def demo(rank):
    model = torch.nn.Linear(10, 5).to(rank)
    ddp_model = DDP(model, device_ids=[rank])
    plain = torch.nn.Linear(10, 5)
    outputs = ddp_model(torch.randn(20, 10))
    batch = torch.zeros(4, 10)
    outputs = outputs.sum() + ddp_model(batch).sum()
    ready = torch.ones(4, 10, device=rank)
    outputs = outputs + ddp_model(ready).sum()
    labels = torch.randn(20, 5).to(rank)
    return outputs, labels, plain(torch.randn(20, 10))
