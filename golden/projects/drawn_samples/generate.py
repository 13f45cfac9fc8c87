import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn

from diffusion import sample


def main():
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    model = nn.Linear(4, 4).to(device).eval()
    kept = []
    with torch.no_grad():
        for _ in range(8):
            images = sample(model, (16, 4), device)
            parts = [torch.zeros_like(images) for _ in range(dist.get_world_size())]
            dist.all_gather(parts, images)
            kept.extend(part.cpu().numpy() for part in parts)
    if dist.get_rank() == 0:
        np.save("samples.npy", np.concatenate(kept))
    dist.barrier()


if __name__ == "__main__":
    main()
