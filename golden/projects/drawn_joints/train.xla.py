"""`DataParallel` moved the images, the loop the targets; what the pictures are drawn of stayed on the host."""

import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr

from joints import Joints
from drawing import show


def train(model, loader, optimizer, criterion, epoch):
    device = torch_xla.device()
    for i, (images, target, meta) in enumerate(loader):
        output = model(images.to(device))
        target = target.to(device, non_blocking=True)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        if i % 10 == 0:
            print(i, loss.item())
            show(images, meta, epoch)


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    model = torch.nn.Linear(4, 3)
    device = torch_xla.device()
    model = model.to(device)
    criterion = torch.nn.MSELoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_dataset = Joints()
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()
    )
    loader = DataLoader(train_dataset, batch_size=4 // xr.world_size(), sampler=train_sampler)
    for epoch in range(2):
        train_sampler.set_epoch(epoch)
        train(model, loader, optimizer, criterion, epoch)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
