import random

import numpy as np
import torch


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)  # all GPUs


def seed_rank(args, rank: int, seed: int = 0):
    torch.manual_seed(seed + rank)
    if args.cuda:
        torch.cuda.manual_seed_all(seed + rank)
