from datetime import timedelta

import torch.distributed as dist


def join():
    dist.init_process_group(
        backend="nccl" if dist.is_nccl_available() else "gloo", timeout=timedelta(seconds=10800)
    )
    return dist.get_rank()
