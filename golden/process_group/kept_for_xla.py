import torch.distributed as dist
import torch_xla.distributed.xla_backend

dist.init_process_group("xla", init_method="xla://")
print(dist.get_rank(), dist.get_world_size())
if dist.is_initialized():
    dist.barrier()
dist.destroy_process_group()
