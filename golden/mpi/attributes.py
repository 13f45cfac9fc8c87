"""The rank and size as attributes, and under another name of the module."""
import mpi4py.MPI as mpi
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
model = torch.nn.Linear(2, 2).cuda()
shard = mpi.COMM_WORLD.rank
shards = mpi.COMM_WORLD.size
if mpi.COMM_WORLD.Get_rank() == 0:
    print("shard", shard, "of", shards)
