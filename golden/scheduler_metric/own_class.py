import torch
import torch.distributed as dist
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR

dist.init_process_group("nccl")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
class Plateau:
    def step(self, metric):
        pass


Plateau().step(evaluate(net))
