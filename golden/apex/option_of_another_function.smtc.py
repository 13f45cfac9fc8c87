import torch


def prepare(net, half):
    optim = torch.optim.SGD(net.parameters(), lr=0.1)
    return net, optim


def train(net, loader, criterion, scaling):
    net, optim = prepare(net, scaling == "apex")
    for im, lb in loader:
        optim.zero_grad()
        output = net(im)
        loss = criterion(output, lb)
        loss.backward()
        optim.step()


train(torch.nn.Linear(4, 1).cuda(), [], torch.nn.MSELoss(), "")
