import torch
from torch import nn
import torch_xla.core.xla_model as xm


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(4, 4)

    @torch.no_grad()
    def generate(self, x, steps):
        found = []
        for t in range(steps):
            x = self.cell(x)
            found.append(x)
            xm.mark_step()
        return found

    def forward(self, x):
        for t in range(x.size(0)):
            h = self.cell(x[t])
        return h


def weights(model):
    model.cuda()
    total = 0
    for p in model.parameters():
        total += p.numel()
    for path in ["a", "b"]:
        print(path)
    return total
