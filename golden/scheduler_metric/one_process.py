import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau

optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = ReduceLROnPlateau(optimizer)
scheduler.step(evaluate(net.cuda()))
