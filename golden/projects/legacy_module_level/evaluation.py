import torch
from torch.autograd import Variable

import config
from data import test_loader
from net import criterion, net


def test():
    net.eval()
    total = 0.0
    for inputs, targets in test_loader:
        if config.use_cuda:
            inputs, targets = inputs.cuda(), targets.cuda()
        with torch.no_grad():
            outputs = net(Variable(inputs))
            total += criterion(outputs, Variable(targets)).data.item()
    return total / len(test_loader)
