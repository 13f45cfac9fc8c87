import os

import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

from engine import fine_tune, train
from factory import build_list, build_optimizers
from model import Net


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(64, 4)
    dataset = TensorDataset(x, (x.sum(1) > 0).long())
    model = net = Net().to(device)
    if "WORLD_SIZE" in os.environ:
        torch.distributed.init_process_group("nccl", init_method="env://")
        model = DistributedDataParallel(net)
    loader = DataLoader(dataset, batch_size=8, drop_last=True)
    print(f"loss {train(model, loader, build_optimizers(net), device).item():.4f}")
    print(f"loss {fine_tune(model, loader, build_list(net), device).item():.4f}")


if __name__ == "__main__":
    main()
