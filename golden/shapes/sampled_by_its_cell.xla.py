import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def generate(self, n):
        device = next(self.parameters()).device
        self.eval()
        out = []
        with torch.no_grad():
            h = torch.zeros(1, 4, device=device)
            x = torch.zeros(1, 4, device=device)
            for i in range(n):
                h = self.cell(x, h)
                x = torch.softmax(h, dim=1)
                out.append(x)
                torch_xla.sync()
        out = torch.stack(out).cpu().numpy()
        self.train()
        return out


def main():
    device = torch_xla.device()
    net = Net().to(device)
    opt = torch.optim.Adam(net.parameters())
    for step in range(1000):
        loss = net.cell(torch.randn(2, 4, device=device), torch.zeros(2, 4, device=device)).sum()
        opt.zero_grad()
        loss.backward()
        xm.optimizer_step(opt, barrier=True)
        if step % 100 == 0:
            print(net.generate(10000))


main()
