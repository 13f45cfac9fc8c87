from collections import namedtuple

import torch
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl

Batch = namedtuple("Batch", "images labels")


def collate(samples):
    images, labels = zip(*samples)
    return Batch(torch.stack(images), torch.tensor(labels))


device = torch.device("cuda")
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(dataset, batch_size=8, collate_fn=collate)
loader = pl.MpDeviceLoader(loader, device)
for i, batch in enumerate(loader):
    batch = Batch(*batch)
    images = batch.images
    loss = torch.nn.functional.cross_entropy(model(images), batch.labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
