from collections import namedtuple

import torch
from torch.utils.data import DataLoader

Batch = namedtuple("Batch", "images labels")


def collate(samples):
    images, labels = zip(*samples)
    return Batch(torch.stack(images), torch.tensor(labels))


device = torch.device("cuda")
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(dataset, batch_size=8, collate_fn=collate)
for i, batch in enumerate(loader):
    images = batch.images.to(device)
    loss = torch.nn.functional.cross_entropy(model(images), batch.labels.to(device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
