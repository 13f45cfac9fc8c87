"""`DataParallel` moved the images, the loop the targets; what the pictures are drawn of stayed on the host."""

import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm

from joints import Joints
from drawing import show


def train(model, loader, optimizer, criterion, epoch):
    device = xm.xla_device()
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
    xm.set_rng_state(0)
    model = torch.nn.Linear(4, 3)
    device = xm.xla_device()
    model = model.to(device)
    criterion = torch.nn.MSELoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_dataset = Joints()
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    loader = DataLoader(train_dataset, batch_size=4 // xm.xrt_world_size(), sampler=train_sampler)
    for epoch in range(2):
        train_sampler.set_epoch(epoch)
        train(model, loader, optimizer, criterion, epoch)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
