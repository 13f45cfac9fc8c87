import os

import torch
import torch.distributed as dist

net = torch.nn.Linear(2, 2)
dist.init_process_group("nccl")
rank = dist.get_rank()
memory = torch.zeros(8, 2)
memory_path = os.path.join("out", "memory" + str(rank) + ".pth")
for epoch in range(3):
    if rank == 0:
        torch.save(net.state_dict(), f"out/net_of_{rank}.pt")
    torch.save({"memory": memory, "epoch": epoch}, memory_path)
    torch.save(torch.get_rng_state(), f"out/rng_{dist.get_rank()}.pt")
