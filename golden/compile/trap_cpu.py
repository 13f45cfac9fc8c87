import torch

model = torch.nn.Linear(2, 2)
model = torch.compile(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in batches:
    model(x).sum().backward()
    optimizer.step()
