import torch


def square_root(a, steps):
    kind = a.type()
    batch = a.shape[0]
    eye = torch.eye(a.shape[1]).repeat(batch, 1, 1).to(a)
    y = a / a.norm()
    for _ in range(steps):
        y = (3.0 * eye - y).to(a.detach(), non_blocking=True)
    return y.to(eye)


square_root(torch.ones(2, 3, 3).cuda(), 2)
