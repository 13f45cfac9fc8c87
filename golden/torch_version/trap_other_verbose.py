import torch

from schedules import StepLR

net = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = StepLR(optimizer, 3, verbose=True)
values = torch.linalg.eigvalsh(torch.ones(2, 2).cuda())
