import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
        self.norm = nn.BatchNorm1d(4)
        self.cuda()

    def train(self, mode=True):
        super().train(mode)
        for layer in self.modules():
            if isinstance(layer, (nn.BatchNorm2d, nn.SyncBatchNorm)):
                layer.eval()
        self.norm.train(False)

    def forward(self, x):
        x = F.batch_norm(x, self.bn.running_mean, self.bn.running_var, self.bn.weight, self.bn.bias, False, 0.1, 1e-5)
        return F.batch_norm(x, self.bn.running_mean, self.bn.running_var, training=self.training)


def freeze(m):
    classname = m.__class__.__name__
    if classname.find("BatchNorm") != -1:
        m.eval()
    elif not isinstance(m, nn.BatchNorm3d):
        m.eval()
