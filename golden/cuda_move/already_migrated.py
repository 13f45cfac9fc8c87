import torch
import torch_xla.core.xla_model as xm
from torch import nn

device = xm.xla_device()
model = nn.Linear(2, 2).to(device)
out = model(torch.ones(2).to(device, non_blocking=True))
