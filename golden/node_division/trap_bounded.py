import torch.distributed as dist

batch_size //= max(dist.get_world_size() // 8, 1)
batch_size //= dist.get_world_size()
