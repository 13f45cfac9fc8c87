import os

import smdistributed.dataparallel.torch.torch_smddp
import torch.distributed as dist
from torch.distributed import get_rank as rank_of, init_process_group

if "SM_HOSTS" in os.environ:
    init_process_group(backend="smddp")
print(rank_of(), dist.get_world_size())
