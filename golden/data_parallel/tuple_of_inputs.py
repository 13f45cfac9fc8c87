import torch
from torch.nn.parallel import data_parallel


class Updater:
    def __init__(self, model, ngpu):
        self.model = model
        self.ngpu = ngpu

    def step(self, x):
        if self.ngpu == 0:
            loss = self.model(*x).mean()
        else:
            loss = data_parallel(self.model, x, range(self.ngpu)).mean()
        loss.backward()

    def infer(self, x):
        return data_parallel(self.model, x, range(self.ngpu))
