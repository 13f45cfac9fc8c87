import torch
from torch import amp
from torch.cuda.amp import GradScaler as Scaler


def train(net, scaler: Scaler):
    scaler.scale(net(x)).backward()


a = Scaler()
b = torch.cuda.amp.GradScaler(enabled=args.amp, growth_interval=100)
c = amp.GradScaler("cuda", init_scale=2.0)
