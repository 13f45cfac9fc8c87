"""Gradients unscaled and clipped before they are averaged."""
import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, syncfree


def main():
    device = xm.xla_device()
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = syncfree.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    dataset = torch.utils.data.TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(dataset, batch_size=8, drop_last=True), device)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
