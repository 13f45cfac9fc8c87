import torch
from torch.optim.lr_scheduler import LambdaLR, StepLR, _LRScheduler


class Warm(_LRScheduler):
    def __init__(self, optimizer, steps, last_epoch=-1, verbose=False):
        self.steps = steps
        super(Warm, self).__init__(optimizer, last_epoch, verbose)


class Late(LambdaLR):
    def __init__(self, optimizer, verbose=False):
        LambdaLR.__init__(self, optimizer, lambda step: 0.1, -1, verbose)


class Plain(StepLR):
    def __init__(self, optimizer):
        super().__init__(optimizer, 3, verbose=True)


net = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = StepLR(optimizer, 3, 0.5, -1, True)
spectrum = torch.stft(torch.ones(400).cuda(), 100)
complex_ = torch.stft(torch.ones(400).cuda(), 100, return_complex=True)
