import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def main(local_rank):
    model = torch.nn.Linear(4, 2)
    model.cuda(local_rank)
    model = DDP(model, device_ids=[local_rank])
    critic = DDP(torch.nn.Linear(2, 1).cuda(local_rank))
    return model, critic
