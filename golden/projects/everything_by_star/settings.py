import torch

DEVICE = torch.device("cuda")
SEED = 7
BATCH = 8
EPOCHS = 3
