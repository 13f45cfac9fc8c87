import torch

with torch.no_grad():
    net(x.cuda())
