import torch


def cast(x, y, buckets):
    x = x.type(torch.cuda.HalfTensor)
    y = y.type("torch.cuda.LongTensor")
    if isinstance(x, torch.cuda.FloatTensor) or x.type() == 'torch.cuda.HalfTensor':
        return x
    if isinstance(x.data, torch.cuda.FloatTensor) == True:
        return x.type() in ["torch.cuda.FloatTensor", "torch.FloatTensor"]
    if torch.cuda.HalfTensor in buckets:
        return buckets[torch.cuda.HalfTensor]
    return y.type(torch.FloatTensor)
