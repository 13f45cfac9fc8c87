import torch
import torch.distributed as dist

dist.init_process_group("nccl")
n_gpu = torch.cuda.device_count()
print("GPUs:", n_gpu)
if n_gpu > 1:
    print("several")
