from functools import partial

import numpy as np
import torch
from torch.utils.data import DataLoader


def _worker_init(worker_id, seed):
    torch.manual_seed(seed + worker_id)
    np.random.seed(seed + worker_id)


def _init(number, seed):
    torch.manual_seed(seed + number)


def loaders(dataset, seed, device):
    one = DataLoader(dataset, worker_init_fn=partial(_worker_init, seed=seed))
    two = DataLoader(dataset, worker_init_fn=partial(_init, seed=seed))
    print(torch.cuda.memory_allocated())
    return one, two
