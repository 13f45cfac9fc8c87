"""Products of frequencies with complex weights: as `einsum` their gradients are others, as products of matrices right."""
import torch
import torch.nn as nn


class Frequencies(nn.Module):
    def __init__(self, width, modes):
        super().__init__()
        scale = 1 / width
        self.weights = nn.Parameter(scale * torch.rand(modes, width, width, dtype=torch.cfloat))
        self.mix = nn.Parameter(torch.rand(width, width))

    def multiplied(self, given, weights):
        return torch.einsum("bhi,hio->bho", given, weights)

    def forward(self, x):
        frequencies = torch.fft.rfft(x.permute(0, 2, 1), dim=-1)
        kept = frequencies[:, :, :4].permute(0, 2, 1)
        out = self.multiplied(kept, self.weights)
        real = torch.einsum("bi,io->bo", x.mean(dim=1), self.mix)
        return torch.fft.irfft(out.permute(0, 2, 1), n=x.shape[1]).permute(0, 2, 1) + real[:, None]


model = Frequencies(8, 4).cuda()
optimizer = torch.optim.Adam(model.parameters())
for step in range(10):
    loss = model(torch.randn(2, 16, 8).cuda()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
