import torch.distributed as dist

backend = dist.get_backend()
print("running on", backend)
if backend == "nccl":
    print("GPU")
