"""Fixed at the top: right for one type of instance."""
import os

os.environ["GPU_NUM_DEVICES"] = "4"
os.environ.setdefault("GPU_NUM_DEVICES", "4")

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
print(torch.cuda.device_count())
