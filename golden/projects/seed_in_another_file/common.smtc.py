import random

import torch
import torch_xla.core.xla_model as xm


def set_seed(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    xm.set_rng_state(int(seed))
