import copy

import torch

net = torch.nn.Linear(4, 2).cuda()
average = copy.deepcopy(list(net.parameters()))
state = net.state_dict()
for i, (name, _) in enumerate(net.named_parameters()):
    state[name] = average[i]
torch.save({"average": state}, "average.pt")
torch.save({name: one for name, one in net.named_parameters()}, "parts.pt")
torch.save([one for one in net.parameters()], "list.pt")
