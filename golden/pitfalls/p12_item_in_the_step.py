"""Values read in the step: printed ones are printed after it, summed ones are read after it has been executed."""
import torch
from torch.utils.data import DataLoader


def main():
    device = torch.device("cuda")
    model = torch.nn.Linear(16, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(torch.load("data.pt"), batch_size=8, drop_last=True)
    for epoch in range(3):
        for i, (x, y) in enumerate(loader):
            loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if i % 50 == 0:
                print(f"epoch {epoch} step {i} loss {loss.item():.4f}")
    total = 0.0
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(total / len(loader))


if __name__ == "__main__":
    main()
