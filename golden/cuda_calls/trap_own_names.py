"""torch.cuda.synchronize() in a text."""
import torch


class Cuda:
    def synchronize(self):
        return "torch.cuda.synchronize()"

    def empty_cache(self):
        return None


cuda = Cuda()
cuda.synchronize()
cuda.empty_cache()
torch.nn.Linear(2, 2)
