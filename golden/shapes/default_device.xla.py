import torch
import torch_xla


class Prefetcher:
    def __init__(self, loader, mean, device: torch.device = torch.device('xla')):
        self.loader = loader
        self.mean = torch.tensor(mean, device=device)
        self.is_cuda = device.type == 'xla'


def train(model, x, device=torch.device("xla")):
    x = x.to(device)
    if device.type == "xla":
        torch_xla.sync(wait=True)
    return model(x)


def test(model, x, device="xla"):
    return model(x.to(device))
