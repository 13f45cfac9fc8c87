import torch
import torch.distributed as dist
_tc_migrate_end_of_cell_1
dist.init_process_group("nccl", rank=0, world_size=1, init_method="file:///tmp/group")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1).cuda())
_tc_migrate_end_of_cell_2
