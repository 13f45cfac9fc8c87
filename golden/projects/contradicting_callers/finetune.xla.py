import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from data import build_dataset, build_model
from engine import train_one_epoch
from schedules import Warmup
from updates import advance


def finetune():
    device = torch_xla.device()
    model = build_model().to(device)
    loader = DataLoader(build_dataset(3), batch_size=16, shuffle=True, drop_last=True)
    device_loader = pl.MpDeviceLoader(loader, device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    warmup = Warmup(optimizer, 0.1)
    train_one_epoch(model, loader, warmup, device)

    for images, labels in device_loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        xm.reduce_gradients(optimizer)
        advance(optimizer)


if __name__ == "__main__":
    finetune()
