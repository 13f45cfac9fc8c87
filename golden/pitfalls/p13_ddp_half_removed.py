"""DDP with accumulation under no_sync, and an unwrapped copy for saving."""
import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def main():
    dist.init_process_group(backend="nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 2).cuda(), device_ids=[local_rank], find_unused_parameters=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(8):
        boundary = (step + 1) % 4 == 0
        x = torch.randn(4, 8).cuda()
        with contextlib.nullcontext() if boundary else model.no_sync():
            loss = model(x).pow(2).mean() / 4
            loss.backward()
        if boundary:
            optimizer.step()
            optimizer.zero_grad()
    model_to_save = model.module if hasattr(model, "module") else model
    if dist.get_rank() == 0:
        torch.save(model_to_save.state_dict(), "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
