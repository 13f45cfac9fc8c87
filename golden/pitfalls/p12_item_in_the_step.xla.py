"""Values read in the step: printed ones are printed after it, summed ones are read after it has been executed."""
import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(16, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(torch.load("data.pt", map_location="cpu"), batch_size=8, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)

    def log_step(i, loss):
        print(f"epoch {epoch} step {i} loss {loss.item():.4f}")

    for epoch in range(3):
        for i, (x, y) in enumerate(loader):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)
            if i % 50 == 0:
                xm.add_step_closure(log_step, args=(i, loss.detach()))
    total = 0.0
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        total += loss.item()
    print(total / len(loader))


if __name__ == "__main__":
    main()
