"""A device loader has no dataset, sampler or batch size, and next() of it fails: who needs those keeps the loader."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def train_one_epoch(model, train_loader, optimizer, epoch, local_rank):
    model.train()
    train_loader.sampler.set_epoch(epoch)
    seen = 0
    for x, y in train_loader:
        x, y = x.cuda(local_rank, non_blocking=True), y.cuda(local_rank, non_blocking=True)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        seen += train_loader.batch_size
    print(f"{seen}/{len(train_loader.dataset)}")


def main(local_rank):
    dist.init_process_group("nccl")
    torch.cuda.set_device(local_rank)
    train_loader = DataLoader(
        train_set, batch_size=64, sampler=DistributedSampler(train_set), pin_memory=True, drop_last=True
    )
    x, _ = next(iter(train_loader))
    model = DDP(torch.nn.Linear(x.shape[1], 2).cuda(local_rank), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        train_one_epoch(model, train_loader, optimizer, epoch, local_rank)
