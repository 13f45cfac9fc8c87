import random

import torch
import torch_xla


def set_seed(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    torch_xla.manual_seed(int(seed))
