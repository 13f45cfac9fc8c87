import torch

x = torch.rand(100, 3).cuda()
distances = torch.pow(x, 2).sum(dim=1, keepdim=True).expand(100, 100)
distances = distances + distances.t()
distances.addmm_(1, -2, x, x.t())
