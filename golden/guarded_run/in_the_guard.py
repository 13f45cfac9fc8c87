import torch
import torch.distributed as dist

dist.init_process_group("nccl")
rank = dist.get_rank()
net = torch.nn.Linear(4, 2).cuda()
if rank == 0 and verbose:
    print(net)
if rank == 0:
    print(net(torch.zeros(1, 4).cuda()))
