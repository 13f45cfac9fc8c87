import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from settings import DEVICE_NAME, LR, PLACES, SEED


def main():
    torch.manual_seed(SEED)
    xm.set_rng_state(int(SEED))
    device = DEVICE_NAME
    x = torch.randn(40, 4)
    dataset = TensorDataset(x, (x.sum(1) > 0).long())
    model = nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=LR)
    for epoch in range(3):
        for x, y in pl.MpDeviceLoader(DataLoader(dataset, batch_size=8), device):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)
        with torch.no_grad():
            print(PLACES["label"], epoch, model(torch.ones(8, 4).to(PLACES["eval"])).sum().item())


if __name__ == "__main__":
    main()
