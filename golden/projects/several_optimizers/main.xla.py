import torch
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.runtime as xr

from engine import fine_tune, train
from factory import build_list, build_optimizers
from model import Net


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    x = torch.randn(64, 4)
    dataset = TensorDataset(x, (x.sum(1) > 0).long())
    model = net = Net().to(device)
    if xr.world_size() > 1:
        model = net
    loader = DataLoader(dataset, batch_size=8, drop_last=True)
    print(f"loss {train(model, loader, build_optimizers(net), device).item():.4f}")
    print(f"loss {fine_tune(model, loader, build_list(net), device).item():.4f}")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
