import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def evaluate(model, loader):
    model.eval()
    total = 0.0
    device = torch_xla.device()
    with torch.no_grad():
        loader = pl.MpDeviceLoader(loader, device)
        for x, y in loader:
            total += (model(x) - y).abs().sum().item()
    return total
