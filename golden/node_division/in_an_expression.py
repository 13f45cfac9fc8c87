import torch.distributed as dist

world_size = dist.get_world_size()
batch_size = 512 // (world_size // 8)
scale = rate / (dist.get_world_size() // 4)
