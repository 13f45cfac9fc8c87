import torch

NAME = "torch.FloatTensor"
x = torch.ones(2).cuda()
y = x.type(NAME)
z = x.type("torch.LongTensor")
assert x.type().endswith("FloatTensor")
