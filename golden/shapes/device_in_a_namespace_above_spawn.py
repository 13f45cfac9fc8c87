import argparse
from types import SimpleNamespace

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

cfg = SimpleNamespace(device=torch.device("cuda"), lr=0.1)
settings = dict(device="cuda", lr=0.1)


def worker(rank, args, world):
    dist.init_process_group("nccl", rank=rank, world_size=world)
    torch.cuda.set_device(rank)
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 2).to(cfg.device), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data), drop_last=True)
    for x, y in loader:
        x, y = x.to(args.device), y.to(settings["device"])
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    args = argparse.Namespace(device=torch.device("cuda"))
    world = torch.cuda.device_count()
    mp.spawn(worker, nprocs=world, args=(args, world))


if __name__ == "__main__":
    main()
