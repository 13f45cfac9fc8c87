import torch

quiet = torch.no_grad
with quiet():
    net(x.cuda())
