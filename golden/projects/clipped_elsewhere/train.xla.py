"""The gradients of two optimizers are clipped here, and stepped with in updates.py."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

from updates import Updater


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)).to(device)
    first, second = list(net.parameters())[:2], list(net.parameters())[2:]
    updater = Updater(torch.optim.SGD(first, lr=0.05), torch.optim.Adam(second, lr=0.01))
    generator = torch.Generator().manual_seed(1)
    for step in range(8):
        x = torch.randn(8, 4, generator=generator).to(device)
        loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
        loss.backward()
        xm.reduce_gradients(updater.first)
        xm.reduce_gradients(updater.second)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        updater.update()
        torch_xla.sync()
    print(f"loss {loss.item():.4f}")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
