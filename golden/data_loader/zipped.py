import itertools

import torch
from torch.utils.data import DataLoader

device = torch.device("cuda")
labeled = DataLoader(labeled_set, batch_size=32, shuffle=True)
unlabeled = DataLoader(unlabeled_set, batch_size=224, shuffle=True)
model = Net().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.03)
for (x, y), (u, _) in zip(itertools.cycle(labeled), unlabeled):
    x, y, u = x.to(device), y.to(device), u.to(device)
    loss = torch.nn.functional.cross_entropy(model(x), y) + consistency(model(u))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
