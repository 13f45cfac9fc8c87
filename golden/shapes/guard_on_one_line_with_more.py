import torch
from torch import nn
from torch.utils.data import DataLoader


def main(dataset=None):
    model = nn.DataParallel(nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(dataset, batch_size=8, drop_last=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        optimizer.step()


if __name__ == "__main__": torch.manual_seed(0); main([])  # all of it
