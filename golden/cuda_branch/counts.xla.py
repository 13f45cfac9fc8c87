import torch
from torch import nn


def build(model, args):
    if torch.cuda.is_available() and torch.cuda.device_count() > 1:
        model = nn.DataParallel(model).cuda()
    else:
        model = model.cuda()
    n = torch.cuda.device_count()
    return model, n
