import torch.distributed as dist

nodes = dist.get_world_size() // 8
if nodes > dist.get_world_size() // 8 + 1:
    nodes += dist.get_world_size() // 8
