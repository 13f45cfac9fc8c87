import torch
from torch.cuda.amp import autocast


class Table:
    def numpy(self):
        return [1, 2]


def show(net, x):
    with autocast():
        loss = net(x.cuda())
    return Table().numpy(), loss.float().cpu().numpy()
