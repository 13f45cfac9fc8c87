import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm

import config


class Regression(nn.Module):
    def __init__(self):
        super(Regression, self).__init__()
        self.hidden = nn.Linear(3, 8)
        self.predict = nn.Linear(8, 1)

    def forward(self, x):
        return self.predict(torch.tanh(self.hidden(x)))


net = Regression()
criterion = nn.MSELoss()
device = xm.xla_device()
if config.use_cuda:
    net.to(device)
    criterion = criterion.to(device)
