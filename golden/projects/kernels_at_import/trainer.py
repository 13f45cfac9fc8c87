import torch


def train(net):
    net = net.cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        loss = net(torch.ones(1, 1, 8, 8).cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
