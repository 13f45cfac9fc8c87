import torch


def types(args):
    kinds = {"x": torch.cuda.FloatTensor, "y": torch.cuda.LongTensor} if args.cuda else {}
    dtype = args.cuda and torch.cuda.HalfTensor or torch.FloatTensor
    return kinds, torch.cuda.FloatTensor if args.double else torch.cuda.DoubleTensor, dtype


def cast(x, args):
    mask = x.type(torch.cuda.ByteTensor if args.cuda else torch.ByteTensor)
    ones = (torch.cuda.FloatTensor if args.cuda else torch.FloatTensor)(x.size(0), 4).fill_(1)
    kind = torch.cuda.HalfTensor if args.half else torch.cuda.FloatTensor
    return mask, ones, x.type(kind)


class Batch:
    Tensor = torch.cuda.FloatTensor if torch.cuda.device_count() > 2 else torch.FloatTensor

    def same(self, x, y):
        return x is torch.cuda.FloatTensor or x in (torch.cuda.HalfTensor, y)
