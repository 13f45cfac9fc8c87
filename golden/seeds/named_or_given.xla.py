import torch
import torch_xla


def seed_all(seed, seed_gpus=None):
    seed_gpus = seed_gpus or (lambda seed: torch_xla.manual_seed(seed))
    torch.manual_seed(seed)
    torch_xla.manual_seed(int(seed))
    seed_gpus(seed)
