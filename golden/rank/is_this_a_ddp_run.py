import os

import torch

ddp = int(os.environ.get('RANK', -1)) != -1  # is this a ddp run?
if ddp:
    torch.distributed.init_process_group(backend="nccl")
    ddp_rank = int(os.environ['RANK'])
    device = f"cuda:{int(os.environ['LOCAL_RANK'])}"
single = int(os.environ.get("LOCAL_RANK", -1)) == -1
if os.environ.get("WORLD_SIZE"):
    print("several")
if "WORLD_SIZE" not in os.environ or os.getenv("RANK") is None: print("one")
