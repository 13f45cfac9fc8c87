import torch
import torch.distributed as dist

dist.init_process_group("nccl")
net = torch.nn.Linear(4, 2).cuda()
result = net(torch.zeros(1, 4).cuda())
if dist.get_rank() == 0:
    print(result.shape)
if dist.get_world_size() > 1:
    print(net(torch.ones(1, 4).cuda()).shape)
