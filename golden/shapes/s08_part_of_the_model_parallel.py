"""The 2017 way: the convolutions of AlexNet and VGG in DataParallel, or the whole model."""
import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--arch", default="alexnet")


class Net(nn.Module):
    def __init__(self, ngpu=1):
        super().__init__()
        self.ngpu = ngpu
        self.features = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.classifier = nn.Linear(8, 2)

    def forward(self, x):
        if x.is_cuda and self.ngpu > 1:
            y = nn.parallel.data_parallel(self.features, x, range(self.ngpu))
        else:
            y = self.features(x)
        return self.classifier(y)


def main():
    args = parser.parse_args()
    torch.manual_seed(0)
    model = Net()
    if args.arch.startswith("alexnet") or args.arch.startswith("vgg"):
        model.features = torch.nn.DataParallel(model.features)
        model.cuda()
    else:
        model = torch.nn.DataParallel(model).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(8, 4).cuda()).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    main()
