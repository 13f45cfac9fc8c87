import argparse
import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from dataset import Pairs

device = torch.device("xla")


def evaluate(model):
    loader = DataLoader(Pairs(), batch_size=8, collate_fn=Pairs.groups)
    loader = pl.MpDeviceLoader(loader, device)
    total = 0.0
    for batchs in loader:
        for x, y in batchs:
            with torch.no_grad():
                total += torch.nn.functional.mse_loss(model(x), y).item()
            xm.mark_step()
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ckpt")
    args = parser.parse_args()
    net = torch.nn.Linear(4, 2).to(device)
    net.load_state_dict(torch.load(args.ckpt, map_location="cpu"))
    print(evaluate(net))
