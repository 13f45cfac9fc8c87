import random

import numpy as np
import torch
import torch_xla


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch_xla.manual_seed(int(seed))


def seed_rank(args, rank: int, seed: int = 0):
    torch.manual_seed(seed + rank)
    if args.cuda:
        torch_xla.manual_seed(seed + rank)
