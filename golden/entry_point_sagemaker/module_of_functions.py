import torch
import torch.distributed as dist

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def setup():
    dist.init_process_group("nccl")
