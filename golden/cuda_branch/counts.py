import torch
from torch import nn


def build(model, args):
    if torch.cuda.device_count() == 0:
        raise SystemExit("no GPU")
    if torch.cuda.device_count() > 1:
        print("Let's use", torch.cuda.device_count(), "GPUs!")
        model = nn.DataParallel(model)
    assert torch.cuda.device_count() >= 1
    if torch.cuda.is_available() and torch.cuda.device_count() > 1:
        model = nn.DataParallel(model).cuda()
    else:
        model = model.cuda()
    n = torch.cuda.device_count()
    return model, n
