import torch
import torch.distributed as dist

dist.init_process_group("nccl")
net = torch.nn.Linear(4, 2).cuda()


def predict(x):
    return net(x)


if dist.get_rank() == 0:
    callbacks = [predict]
