import numpy as np
import torch

model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    order = np.unique(np.arange(3))
    counts = order[order > 1]
    scores = {}
    scores[len(order)] = 1
    loss = model(x.cuda()).sum()
    loss.backward()
    optimizer.step()
