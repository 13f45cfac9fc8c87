import torch
from torch import optim
from torch_xla.amp import syncfree

scaler = torch.cuda.amp.GradScaler()
a = syncfree.SGD(net.parameters(), lr=0.1, momentum=0.9)
b = syncfree.AdamW(net.parameters(), lr=1e-3)  # decays
c = optim.RMSprop(net.parameters())
d = torch.optim.Adam(net.parameters())
b.load_state_dict(torch.load("b.pt"))
scaler.step(a)
scaler.step(b)
scaler.step(c)
d.step()
