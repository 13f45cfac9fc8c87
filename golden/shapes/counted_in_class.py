import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Config:
    devices = torch.cuda.device_count()
    several = torch.cuda.device_count() > 1


def worker(rank, config):
    dist.init_process_group("nccl", rank=rank, world_size=config.devices)
    torch.cuda.set_device(rank)
    net = DDP(nn.Linear(4, 2).cuda(rank), device_ids=[rank])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        net(torch.ones(2, 4).cuda(rank)).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    mp.spawn(worker, nprocs=Config.devices, args=(Config,))
