import torch
from torch import device as dev, nn

d = dev(
    "cuda",  # the GPU
    0,
)
if True: m = nn.Linear(2, 2).to(d); t = torch.ones(2, device="cuda")  # café
