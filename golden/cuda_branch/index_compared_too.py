import torch


def concat(x, t, device=None):
    x = torch.from_numpy(x)
    if device is not None and device >= 0:
        x = x.cuda(device)
    if device is not None and len(t) > 0:
        t = t.cuda(device)
    return x, t
