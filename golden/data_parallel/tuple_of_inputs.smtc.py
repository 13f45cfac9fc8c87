import torch


class Updater:
    def __init__(self, model, ngpu):
        self.model = model
        self.ngpu = ngpu

    def step(self, x):
        loss = self.model(*x).mean()
        loss.backward()

    def infer(self, x):
        return self.model(x)
