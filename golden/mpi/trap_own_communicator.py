"""A class of the script's own that looks like MPI."""
import torch
import torch.distributed as dist


class World:
    rank = 0

    def Get_rank(self):
        return self.rank


class MPI:
    COMM_WORLD = World()


dist.init_process_group("nccl")
model = torch.nn.Linear(2, 2).cuda()
print(MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.rank)
