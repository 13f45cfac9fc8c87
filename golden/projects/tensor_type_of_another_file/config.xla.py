import torch

cuda = True
Tensor = lambda *args: torch.FloatTensor(*args).to(torch.device("xla"))
LongTensor = lambda *args: torch.LongTensor(*args).to(torch.device("xla"))
