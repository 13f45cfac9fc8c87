import torch

DEVICE = torch.device("xla")
SEED = 7
BATCH = 8
EPOCHS = 3
