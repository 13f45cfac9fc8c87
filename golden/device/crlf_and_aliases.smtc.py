import torch
from torch import nn
import torch_xla.core.xla_model as xm

d = xm.xla_device()
if True: m = nn.Linear(2, 2).to(d); t = torch.ones(2, device=d)  # café
