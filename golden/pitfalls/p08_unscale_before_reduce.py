"""Unscaled before the reduction, found_inf would differ between the processes and one of them skip its step."""
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def worker(rank, world_size, dataset):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    model = DDP(torch.nn.Linear(16, 4).cuda(rank), device_ids=[rank])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scaler = torch.cuda.amp.GradScaler()
    loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset), drop_last=True)
    for x, y in loader:
        with torch.cuda.amp.autocast():
            loss = torch.nn.functional.cross_entropy(model(x.cuda(rank)), y.cuda(rank))
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


if __name__ == "__main__":
    n = torch.cuda.device_count()
    mp.spawn(worker, args=(n, torch.load("data.pt")), nprocs=n)
