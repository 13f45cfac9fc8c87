import torch
from torch.nn.parallel import *

net = torch.nn.Linear(2, 2)
if distributed: net = DistributedDataParallel(net); raw = net.module
else: raw = net
print(net.module if distributed else net)  # café
