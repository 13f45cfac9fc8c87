"""A network that asserts how many dimensions its inputs have."""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x, t):
        assert len(t.shape) == 1
        assert x.shape[1] == 8 and x.ndim == 2 and x.dim() == 2 and len(x.size()) == 2
        return self.layer(x) * t[:, None]


def main(levels):
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(levels):
        x = torch.randn(4, 8).cuda()
        t = torch.randint(low=0, high=9, size=(4 // 2 + 1,)).cuda()
        t = torch.cat([t, 9 - t - 1], dim=0)[:4]
        loss = (model(x, t.float()) - x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    import sys
    main(int(sys.argv[1]))
