import torch
from torch import nn
import torch_xla


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        device = torch_xla.device()
        self.fc = nn.Linear(2, 2).to(device)
        self.register_buffer("one", torch.ones(1).to(device))

    def forward(self, x):
        device = torch_xla.device()
        noise = torch.randn(x.shape).to(device)
        return self.fc(x) + noise


def move(batch, gpu=0):
    device = torch_xla.device()
    x = [t.to(device, non_blocking=True) for t in batch]
    y = {k: v.to(device) if v.numel() else None for k, v in enumerate(batch)}
    z = map(lambda t: t.to(device, non_blocking=True), batch)
    w = list(map(lambda moved: moved.to(device), batch))
    v = torch.stack(x).to(device).t().float()
    u = torch.ones(2).to(
        device,
        non_blocking=True,  # overlaps
    )
    return x, y, z, w, v, u


def nested(model, use_cuda):
    device = torch_xla.device()
    def to_gpu(x):
        return x.to(device) if use_cuda else x

    if use_cuda: model.to(device); print("on the GPU")
    model.to(device).eval()
    return to_gpu(torch.ones(2))
