import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from model import optimizers
from model.net import Net


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    data = TensorDataset(torch.randn(64, 8), torch.randint(0, 4, (64,)))
    device = torch_xla.device()
    loader = DataLoader(data, batch_size=16)
    loader = pl.MpDeviceLoader(loader, device)
    net = Net(8).to(device)
    optimizer = optimizers.Adam(net.parameters(), lr=0.01)
    for epoch in range(2):
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
