import torch
from torch.cuda.amp import autocast


def predict(net, batches):
    found = []
    for x in batches:
        with autocast():
            best = net(x.cuda()).topk(5)[1]
        found.append(best.cpu())
    return torch.cat(found).numpy()
