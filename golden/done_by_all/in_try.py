import contextlib
import os

import torch


def train(loader, latest, old):
    model = torch.nn.DataParallel(torch.nn.Linear(2, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    try:
        for x in loader:
            model(x).mean().backward()
            optimizer.step()
            if latest is not None:
                os.remove(latest)
            try:
                os.rename("last.pt", "old.pt")
            except (FileNotFoundError, ValueError):
                pass
            with contextlib.suppress(OSError):
                os.remove(old)
    except KeyboardInterrupt:
        print("stopped")
        os.remove(old)


train(torch.utils.data.DataLoader([1.0, 2.0]), None, "old.pt")
