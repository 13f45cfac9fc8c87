import torch
from torch import nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

from data import get_data_loader


@torch.no_grad()
def main():
    model = nn.Linear(4, 1)
    model.load_state_dict(torch.load("model.pt", map_location="cpu"))
    device = torch_xla.device()
    model.to(device).eval()
    total = torch.zeros(1).to(device)
    for (x,) in pl.MpDeviceLoader(get_data_loader(torch.randn(64, 4), mode="val"), device):
        total += model(x).abs().sum()
    if xr.world_size() > 1:
        xm.all_reduce(xm.REDUCE_SUM, [total])
    print(total.item())


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
