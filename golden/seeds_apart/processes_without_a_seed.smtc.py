import argparse

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
import torch_xla.core.xla_model as xm


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 8))

    def forward(self, x):
        t = torch.randint(1, 1000, (len(x),), device=x.device)
        noise = torch.randn_like(x)
        return ((self.net(x + noise * t.view(-1, 1)) - noise) ** 2).mean()


def worker(gpu, args):
    dist.init_process_group("nccl", rank=gpu, world_size=args.gpus)
    torch.cuda.set_device(gpu)
    if args.seed >= 0:
        torch.manual_seed(args.seed)
    model = DDP(Denoiser().cuda(), device_ids=[gpu])
    optimizer = torch.optim.Adam(model.parameters())
    xm.set_rng_state(torch.initial_seed())
    for epoch in range(10):
        for x in batches(gpu):
            loss = model(x.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=-1)
    parser.add_argument("--gpus", type=int, default=1)
    args = parser.parse_args()
    mp.spawn(worker, nprocs=args.gpus, args=(args,))
