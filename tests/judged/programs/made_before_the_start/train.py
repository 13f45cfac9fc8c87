import argparse

import torch
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP

from settings import parse


def worker(gpu, opt):
    torch.distributed.init_process_group("nccl", init_method="tcp://127.0.0.1:21012", world_size=opt["world"], rank=gpu)
    torch.cuda.set_device(gpu)
    torch.manual_seed(0)
    model = DDP(torch.nn.Linear(8, 2).cuda(), device_ids=[gpu])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(9):
        loss = model(torch.randn(4, 8, device=gpu)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--world", type=int, default=8)
    opt = parse(parser.parse_args())
    mp.spawn(worker, nprocs=opt["world"], args=(opt,))
