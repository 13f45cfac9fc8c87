import torch


def train(net, loader, optimizer):
    for x, y in loader:
        loss = net(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(args):
    net = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    train(net, make_loader(), optimizer)
    if args.resume:
        checkpoint = torch.load(args.resume)
