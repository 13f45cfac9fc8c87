import torch
from mylib import train

scaler = torch.cuda.amp.GradScaler()
train(scaler)
