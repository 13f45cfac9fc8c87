import torch


def seed_all(seed, seed_gpus=None):
    seed_gpus = seed_gpus or torch.cuda.manual_seed_all
    torch.manual_seed(seed)
    seed_gpus(seed)
