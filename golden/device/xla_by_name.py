import torch

device = torch.device("xla")
x = torch.zeros(2, device=device)
print(device.type == "xla")
