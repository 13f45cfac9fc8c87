import torch

rank = 0
net = torch.nn.Linear(4, 2).cuda()
if rank == 0:
    print(net(torch.zeros(1, 4).cuda()))
