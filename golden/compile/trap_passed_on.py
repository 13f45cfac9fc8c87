import functools

import torch

fast = functools.partial(torch.compile, mode="default")
wrap = torch.compile(fullgraph=True)
x = torch.zeros(2).cuda()
