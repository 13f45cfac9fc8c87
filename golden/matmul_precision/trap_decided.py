import torch
from torch_xla.backends import set_mat_mul_precision

set_mat_mul_precision("highest")
x = torch.linspace(-1, 1, 1000)[:, None].cuda()
net = torch.nn.Linear(1, 8).cuda()
y = torch.sin(30 * net(x))
