import torch

print(torch.backends.cudnn.version())
was = torch.backends.cudnn.enabled
torch.backends.cudnn.enabled = state = read_state()
