import torch

net = torch.nn.Linear(4, 2).cuda()
alpha = torch.nn.Parameter(torch.zeros(1).cuda())
torch.save({"net": net.state_dict(), "alpha": alpha.data, "bias": net.bias.detach()}, "last.pt")
torch.save([one.data for one in net.parameters()], "list.pt")
