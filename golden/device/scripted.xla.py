import torch
from torch import jit
import torch_xla


def grid(n: int):
    return torch.arange(n, device="xla")


@jit.script
def near(x, other):
    return (x.to("xla") - other.cuda() - grid(4).to("xla")).abs()


def plain(x):
    device = torch.device("xla")
    return x.to(device)


loss = torch.jit.script(plain)
device = torch_xla.device()
later = torch.ones(2).to(device)
