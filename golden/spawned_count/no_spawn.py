import torch

n = torch.cuda.device_count()
print(n)
