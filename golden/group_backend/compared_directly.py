import torch
import torch.distributed as dist


def place(tensor):
    return tensor.cuda() if dist.get_backend() == dist.Backend.NCCL else tensor.cpu()
