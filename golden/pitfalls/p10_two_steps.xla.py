"""One step per iteration: the scaler's, or xm.optimizer_step where there is no scaler, never both."""
import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(16, 4).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for x, y in pl.MpDeviceLoader(
        DataLoader(torch.load("data.pt", map_location="cpu"), batch_size=8, drop_last=True), device):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("xla", dtype=torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)


if __name__ == "__main__":
    main()
