"""A convolution that can be inverted, as flows have it: the backward of slogdet fails on XLA, inside linalg or not."""
import torch
import torch.nn.functional as F


class InvertibleConv1x1(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linalg.qr(torch.randn(channels, channels))[0])

    def forward(self, x):
        volume = torch.slogdet(self.weight)[1] * x.shape[2] * x.shape[3]
        return F.conv2d(x, self.weight[:, :, None, None]), volume


model = InvertibleConv1x1(4).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(10):
    z, volume = model(torch.randn(2, 4, 8, 8).cuda())
    loss = z.pow(2).sum() - volume
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
