import torch
import torch_xla.core.xla_model as xm


class Prefetcher:
    def __init__(self, loader, mean, device: torch.device = torch.device('xla')):
        self.loader = loader
        self.mean = torch.tensor(mean, device=device)
        self.is_cuda = device.type == 'xla'


def train(model, x, device=torch.device("xla")):
    x = x.to(device)
    if device.type == "xla":
        xm.mark_step()
        xm.wait_device_ops()
    return model(x)


def test(model, x, device="xla"):
    return model(x.to(device))
