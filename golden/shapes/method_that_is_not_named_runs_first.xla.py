import torch
import torch_xla


class Net(torch.nn.Module):
    def forward(self, x):
        return x.to(device)


def shape_of(net):
    return net(torch.ones(2, 4)).shape


device = torch_xla.device()
print(shape_of(Net()))
model = torch.nn.Linear(4, 1).to(device)
