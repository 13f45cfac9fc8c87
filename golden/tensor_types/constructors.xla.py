import numpy as np
import torch
import torch_xla

values = [1, 2, 3]
device = torch_xla.device()
a = torch.empty(3, 4, dtype=torch.float32, device=device)
b = torch.tensor([1, 2], dtype=torch.int64, device=device)
c = torch.tensor(values, dtype=torch.int64, device=device)
d = torch.empty(8, dtype=torch.uint8, device=device).fill_(1)
e = torch.tensor(np.zeros((2, 2)), dtype=torch.float32, device=device)
f = torch.empty(a.size(0), len(values), dtype=torch.float16, device=device).normal_()
g = torch.empty(0, dtype=torch.float32, device=device)
h = torch.empty(*a.shape, dtype=torch.float32, device=device)
i = torch.empty(
    3,
    4,
    dtype=torch.float64,
    device=device,
)
