import torch

torch.set_default_device("cuda")
g = torch.Generator(device="cuda").manual_seed(3)
h = torch.Generator("cuda")
cpu = torch.Generator(device="cpu")
x = torch.randn(3, generator=g)
