import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).cuda()
for layer in model.modules():
    if isinstance(layer, nn.BatchNorm2d):
        layer.train()
