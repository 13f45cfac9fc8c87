import os

import torch
import torch_xla.core.xla_model as xm


def _mp_fn(index):
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    print(index, local_rank, xm.get_ordinal())
