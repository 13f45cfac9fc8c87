import torch
import torch_xla.core.xla_model as xm


def seed_all(seed, seed_gpus=None):
    seed_gpus = seed_gpus or (lambda seed: xm.set_rng_state(seed))
    torch.manual_seed(seed)
    xm.set_rng_state(int(seed))
    seed_gpus(seed)
