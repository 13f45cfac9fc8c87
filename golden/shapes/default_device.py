import torch


class Prefetcher:
    def __init__(self, loader, mean, device: torch.device = torch.device('cuda')):
        self.loader = loader
        self.mean = torch.tensor(mean, device=device)
        self.is_cuda = device.type == 'cuda'


def train(model, x, device=torch.device("cuda:0")):
    x = x.to(device)
    if device.type == "cuda":
        torch.cuda.synchronize()
    return model(x)


def test(model, x, device="cuda"):
    return model(x.to(device))
