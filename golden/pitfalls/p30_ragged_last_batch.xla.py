"""The last batch of an epoch is smaller: one more shape, one more compilation, and the same training."""
import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=2)
    loader = pl.MpDeviceLoader(loader, device)
    losses = []
    for epoch in range(3):
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)
            losses.append(loss.detach())
    print(torch.stack(losses).mean().item())


if __name__ == "__main__":
    main()
