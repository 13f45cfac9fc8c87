import torch
import bitsandbytes

model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in batches:
    model(x).sum().backward()
    optimizer.step()
