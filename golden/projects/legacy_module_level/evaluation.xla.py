import torch
from torch.autograd import Variable
import torch_xla
import torch_xla.distributed.parallel_loader as pl

import config
from data import test_loader
from net import criterion, net


def test():
    net.eval()
    total = 0.0
    device = torch_xla.device()
    for inputs, targets in pl.MpDeviceLoader(test_loader, device) if config.use_cuda else test_loader:
        with torch.no_grad():
            outputs = net(Variable(inputs))
            total += criterion(outputs, Variable(targets)).data.item()
    return total / len(test_loader)
