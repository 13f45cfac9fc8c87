import torch


def flatten(parameters, other, kinds):
    buckets = {}
    for one in parameters:
        buckets.setdefault(type(one.data), []).append(one.cuda())
    if torch.cuda.HalfTensor in buckets:
        print("half parameters are slow")
    if torch.cuda.FloatTensor not in kinds:
        raise ValueError(kinds)
    return buckets, other == torch.cuda.HalfTensor
