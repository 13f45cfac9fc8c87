import copy

import torch
import torch_xla.distributed.parallel_loader as pl


class Evaluator:
    def __init__(self, model, iterator, device):
        self.model = model.to(device)
        self.iterator = iterator
        self.device = device

    def evaluate(self):
        iterator = self.iterator
        if hasattr(iterator, "reset"):
            iterator.reset()
            it = iterator
        else:
            it = copy.copy(iterator)
        self.model.eval()
        with torch.no_grad():
            for batch in pl.MpDeviceLoader(it, self.device):
                if isinstance(batch, tuple):
                    x = batch
                else:
                    x = batch
                self.model(x)


def main(model, iterator):
    Evaluator(model, iterator, torch.device("cuda")).evaluate()
