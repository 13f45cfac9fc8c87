import torch

torch.set_default_device("xla")
g = torch.Generator().manual_seed(3)
h = torch.Generator()
cpu = torch.Generator(device="cpu")
x = torch.randn(3, generator=g)
