import torch
import torch.distributed as dist


def save(model, path):
    if dist.get_rank() != 0:
        return
    torch.save(model.state_dict(), path)
    print("wrote", path)
