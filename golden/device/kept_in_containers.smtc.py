import types

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm

state = {}
places = [None, None]
options = types.SimpleNamespace()


def main():
    torch.manual_seed(3)
    state["device"] = xm.xla_device()
    places[1] = xm.xla_device()
    device = xm.xla_device()
    setattr(options, "where", device)
    loader = DataLoader(TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,))), batch_size=8, drop_last=True)
    model = nn.Linear(4, 2).to(state["device"])
    weight = torch.ones(2, device=options.where)
    criterion = nn.CrossEntropyLoss(weight=weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x.to(state["device"])), y.to(places[1]))
        loss.backward()
        optimizer.step()
    print(f"trained on cuda: {loss.item():.4f}")


if __name__ == "__main__":
    main()
