import torch
from torch import nn


def set_bn_eval(module):
    if isinstance(module, nn.BatchNorm2d):
        module.eval()


model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).cuda()
model.apply(set_bn_eval)
