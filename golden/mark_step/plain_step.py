"""The barrier of the step is the mark."""
import torch

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(100):
    model(torch.randn(2, 4).cuda()).mean().backward()
    optimizer.step()
