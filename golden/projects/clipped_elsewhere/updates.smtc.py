import torch_xla.core.xla_model as xm


class Updater:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def update(self):
        xm.optimizer_step(self.first)
        xm.optimizer_step(self.second)
        self.first.zero_grad()
        self.second.zero_grad()
