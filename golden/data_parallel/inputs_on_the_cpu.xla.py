import torch
import torch_xla


def demo(rank):
    model = torch.nn.Linear(10, 5).to(rank)
    ddp_model = model
    plain = torch.nn.Linear(10, 5)
    device = torch_xla.device()
    outputs = ddp_model(torch.randn(20, 10).to(device))
    batch = torch.zeros(4, 10)
    outputs = outputs.sum() + ddp_model(batch.to(device)).sum()
    ready = torch.ones(4, 10, device=rank)
    outputs = outputs + ddp_model(ready).sum()
    labels = torch.randn(20, 5).to(rank)
    return outputs, labels, plain(torch.randn(20, 10))
