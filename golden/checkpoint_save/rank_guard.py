import os

import torch
import torch.distributed as dist

net = torch.nn.Linear(2, 2)
dist.init_process_group("nccl")
for epoch in range(3):
    if dist.get_rank() == 0:
        os.makedirs("out", exist_ok=True)
        state = {"net": net.state_dict(), "epoch": epoch}
        # keep every epoch
        torch.save(state, f"out/{epoch}.pt")
        print("saved", epoch)
