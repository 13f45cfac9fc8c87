import torch
from torch.nn.parallel import *

net = torch.nn.Linear(2, 2)
if distributed: raw = net
else: raw = net
print(net)  # café
