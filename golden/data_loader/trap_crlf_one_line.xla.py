import torch
from torch.utils import data
import torch_xla.distributed.parallel_loader as pl

device = torch.device("cuda")
net = torch.nn.Linear(4, 2).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loader = data.DataLoader(
    dataset,  # the small one
    batch_size=8, \
    shuffle=True,
)
loader = pl.MpDeviceLoader(loader, device)
steps = len(loader)
for x, y in loader: net(x).sum().backward(); opt.step(); opt.zero_grad()
