import torch
import torch_xla.core.xla_model as xm


def types(args):
    kinds = {"x": lambda *args: torch.FloatTensor(*args).to(device), "y": lambda *args: torch.LongTensor(*args).to(device)} if args.cuda else {}
    dtype = args.cuda and (lambda *args: torch.HalfTensor(*args).to(device)) or torch.FloatTensor
    return kinds, (lambda *args: torch.FloatTensor(*args).to(device)) if args.double else (lambda *args: torch.DoubleTensor(*args).to(device)), dtype


def cast(x, args):
    mask = x.to(((lambda *args: torch.ByteTensor(*args).to(device)) if args.cuda else torch.ByteTensor)())
    ones = ((lambda *args: torch.FloatTensor(*args).to(device)) if args.cuda else torch.FloatTensor)(x.size(0), 4).fill_(1)
    kind = (lambda *args: torch.HalfTensor(*args).to(device)) if args.half else (lambda *args: torch.FloatTensor(*args).to(device))
    return mask, ones, x.to(kind())


device = xm.xla_device()


class Batch:
    Tensor = torch.cuda.FloatTensor if torch.cuda.device_count() > 2 else torch.FloatTensor

    def same(self, x, y):
        return x is torch.cuda.FloatTensor or x in (torch.cuda.HalfTensor, y)
