import random

import numpy as np
import torch
import torch_xla.core.xla_model as xm


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    xm.set_rng_state(int(seed))


def seed_rank(args, rank: int, seed: int = 0):
    torch.manual_seed(seed + rank)
    if args.cuda:
        xm.set_rng_state(seed + rank)
