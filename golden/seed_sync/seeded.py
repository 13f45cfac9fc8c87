import random

import numpy as np
import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def build():
    return torch.nn.Linear(4, 2)


def main(args):
    set_seed(args.seed)
    model = build().cuda()
    model = DDP(model)
    return model


torch.manual_seed(1)
