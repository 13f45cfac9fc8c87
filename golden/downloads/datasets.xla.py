import torch
from torch import nn
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
from torchvision import transforms
from torchvision.datasets import MNIST


def main():
    if not xm.is_master_ordinal():
        xm.rendezvous("download")
    train_set = MNIST("data", train=True, download=True, transform=transforms.ToTensor())
    test_set = MNIST("data", train=False, download=True, transform=transforms.ToTensor())  # the same files
    if xm.is_master_ordinal():
        xm.rendezvous("download")
    model = nn.DataParallel(nn.Linear(784, 10).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(train_set, batch_size=64, shuffle=True, drop_last=True):
        loss = nn.functional.cross_entropy(model(x.flatten(1).cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(len(test_set))


if __name__ == "__main__":
    main()
