import torch
from torch.cuda import amp

scaler = amp.GradScaler()
