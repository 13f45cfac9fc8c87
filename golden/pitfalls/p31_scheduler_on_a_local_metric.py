"""Pitfall 31: each process steps its scheduler with its own validation loss, and gets its own learning rate."""
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(torch.nn.Linear(4, 1).cuda(local_rank), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = ReduceLROnPlateau(optimizer, patience=1)
    for epoch in range(3):
        for step in range(4):
            loss = model(torch.randn(8, 4).cuda(local_rank)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            val_loss = model(torch.randn(8, 4).cuda(local_rank)).pow(2).mean().item()
        scheduler.step(val_loss)


if __name__ == "__main__":
    main()
