import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data.distributed import DistributedSampler

from data import make_loader


def train(rank, gpus):
    dist.init_process_group("nccl", init_method="env://", world_size=gpus, rank=rank)
    torch.cuda.set_device(rank)
    torch.manual_seed(0)
    net = DistributedDataParallel(nn.Linear(8, 1).cuda(rank), device_ids=[rank])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
    if rank == 0:
        held_out = make_loader([f"held_{i}" for i in range(8)])
        print(len(next(iter(held_out))))
    names = [f"clip_{i}" for i in range(16)]
    sampler = DistributedSampler(names, gpus, rank)
    loader = make_loader(names, sampler)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for features in loader:
            loss = net(features.cuda(rank)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    gpus = torch.cuda.device_count()
    mp.spawn(train, nprocs=gpus, args=(gpus,))
