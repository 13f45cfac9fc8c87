import torch

torch.manual_seed(0)
generator = torch.Generator()
generator.manual_seed(1)
print(torch.rand(2))
