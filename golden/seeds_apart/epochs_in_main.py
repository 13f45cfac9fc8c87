import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def fake(n):
    return torch.empty(n, 4).normal_().cuda()


def train_epoch(net, critic, loader, optimizer):
    for (x,) in loader:
        loss = critic(net(fake(len(x)))).mean() - critic(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(args):
    torch.manual_seed(args.seed)
    net = nn.DataParallel(nn.Linear(4, 8)).cuda()
    critic = nn.DataParallel(nn.Linear(8, 1)).cuda()
    loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8, drop_last=True)
    optimizer = torch.optim.Adam(net.parameters())
    # Train.
    for epoch in range(args.epochs):
        train_epoch(net, critic, loader, optimizer)
