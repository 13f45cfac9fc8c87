import torch
from torch import nn
import torch_xla


@torch.jit.script
class Smooth(object):
    def __init__(self, channels: int):
        line = torch.tensor([1.0, 2.0, 1.0]).to("xla")
        self.kernel = (line / line.sum())[None, None].repeat((channels, 1, 1)).to("xla")

    def __call__(self, x: torch.Tensor):
        return nn.functional.conv1d(x, self.kernel, padding=1, groups=x.shape[1])


def ramp(n: int):
    return torch.linspace(0.0, 1.0, n, device="xla")


@torch.jit.script
def fade(x: torch.Tensor):
    return x * ramp(x.shape[-1])


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def floor(self, x: torch.Tensor):
        device = torch.device("xla")
        return torch.full_like(x, 0.1).to(device)

    def forward(self, x: torch.Tensor):
        return self.inner(x) * torch.maximum(x.sigmoid(), self.floor(x))

    @torch.jit.unused
    def noise(self, n: int):
        device = torch_xla.device()
        return torch.randn(n).to(device)


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.smooth = Smooth(2)
        self.gate = torch.jit.script(Gate(width))
        self.head = nn.Linear(2 * width, 4)

    def forward(self, x):
        x = fade(self.smooth(torch.stack([x, self.gate(x)], dim=1)))
        return self.head(x.flatten(1))
