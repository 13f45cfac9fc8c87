import itertools

import torch
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl

device = torch.device("cuda")
labeled = DataLoader(labeled_set, batch_size=32, shuffle=True)
labeled = pl.MpDeviceLoader(labeled, device)
unlabeled = DataLoader(unlabeled_set, batch_size=224, shuffle=True)
unlabeled = pl.MpDeviceLoader(unlabeled, device)
model = Net().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.03)
for (x, y), (u, _) in zip(itertools.cycle(labeled), unlabeled):
    loss = torch.nn.functional.cross_entropy(model(x), y) + consistency(model(u))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
