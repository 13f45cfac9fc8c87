import os
import shutil

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from results import report


def fit(model, loader, folder):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
        torch.save({"epoch": epoch, "model": model.state_dict()}, os.path.join(folder, "last.pt"))
        if epoch > 0:
            shutil.copyfile(os.path.join(folder, "last.pt"), os.path.join(folder, "best.pt"))


def main():
    torch.manual_seed(0)
    folder = "weights"
    os.makedirs(folder, exist_ok=True)
    x = torch.randn(16, 4)
    loader = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=4)
    model = nn.DataParallel(nn.Linear(4, 2)).cuda()
    fit(model, loader, folder)
    report(model, folder)


if __name__ == "__main__":
    main()
