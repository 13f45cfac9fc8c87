"""The user's flags decide as before."""
import torch


def train(model, loader, use_cuda, args):
    if use_cuda:
        print("fast")
    for x in loader:
        if args.cuda and x is not None:
            x = x.half()
        model(x)


class Probe:
    def is_available(self):
        return True


torch_cuda = Probe()
if torch_cuda.is_available() and torch.distributed.is_available():
    train(None, [], False, None)
