"""Older checkpoints are taken away below a save: one process does it, and nothing is left to say."""
import os
import re

import torch
from torch.utils.data import DataLoader, TensorDataset


def save(step, model, folder, most=3):
    path = os.path.join(folder, f"save_{step}.pkg")
    torch.save(model.state_dict(), path)
    history = []
    for name in os.listdir(folder):
        if re.search(r"save_\d+\.pkg", name):
            history.append(int(name[5:-4]))
    history.sort()
    while len(history) > most:
        path = os.path.join(folder, f"save_{history[0]}.pkg")
        print("remove", path)
        if os.path.exists(path):
            os.remove(path)
        history.pop(0)


def main():
    torch.manual_seed(0)
    os.makedirs("out", exist_ok=True)
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(32, 4), torch.randn(32, 2)), batch_size=8, shuffle=True, drop_last=True)
    for epoch in range(3):
        for x, y in loader:
            loss = (model(x.cuda()) - y.cuda()).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        save(epoch, model, "out")


if __name__ == "__main__":
    main()
