import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
from numba import cuda
from torch.utils.cpp_extension import load

try:
    from flash_attn import flash_attn_func
except ImportError:
    flash_attn_func = None

kernels = load(name="kernels", sources=["kernels.cu"])


class Net(nn.Module):
    def forward(self, x, mask):
        keep = mask == 1
        y = x[keep]
        z = x[x > 0].sum()
        idx = torch.nonzero(mask)
        parts = mask.unique()
        rows = torch.where(mask)
        if torch.isnan(x).any():
            x = torch.zeros_like(x)
        x[keep] = 0
        x = F.grid_sample(x, idx)
        return torch.where(keep, x, y + z + parts)


model = torch.jit.script(Net()).cuda()
criterion = nn.CTCLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
history = torch.zeros(1000)
for i, (x, y) in enumerate(loader):
    x = x.cuda()
    loss = criterion(model(x, y), y)
    loss.backward()
    optimizer.step()
    history[i] = loss
    hard = y[loss > 0]
