import torch
from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import ReduceLROnPlateau

net = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
first = lr_scheduler.StepLR(optimizer, 3, gamma=0.5)
second = ReduceLROnPlateau(
    optimizer,
    patience=3,
)
