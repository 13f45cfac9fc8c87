import torch

net = torch.nn.Linear(2, 2).cuda()


@torch.no_grad()
def evaluate(x):
    return net(x)


@torch.no_grad()
def bare(x):
    return net(x)


with torch.no_grad(), open("log") as log:
    net(x)
with torch.set_grad_enabled(training):  # tape when training
    net(x)
