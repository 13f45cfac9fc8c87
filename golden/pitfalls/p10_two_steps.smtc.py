"""One step per iteration: the scaler's, or xm.optimizer_step where there is no scaler, never both."""
import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(16, 4).to(device)
    optimizer = syncfree.AdamW(model.parameters(), lr=1e-3)
    scaler = GradScaler()
    for x, y in pl.MpDeviceLoader(
        DataLoader(torch.load("data.pt", map_location="cpu"), batch_size=8, drop_last=True), device):
        optimizer.zero_grad(set_to_none=True)
        with autocast():
            loss = torch.nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


if __name__ == "__main__":
    main()
