import torch

torch.backends.mkldnn.enabled = True
torch.backends.mps.is_available()
torch.backends.openmp.is_available()
