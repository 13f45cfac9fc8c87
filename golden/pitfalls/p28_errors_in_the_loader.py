"""An error in the dataset ends the epoch early (torch_xla 2.6) or hangs (before): the number of steps shows it."""
import torch
from torch.utils.data import DataLoader


def main():
    device = torch.device("cuda")
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=8, shuffle=True, drop_last=True)
    steps = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        steps += 1
    assert steps == len(loader)


if __name__ == "__main__":
    main()
