import torch
from torch_xla.amp import GradScaler


def train(net, scaler: GradScaler):
    scaler.scale(net(x)).backward()


a = GradScaler()
b = GradScaler(enabled=args.amp, growth_interval=100)
c = GradScaler(init_scale=2.0)
