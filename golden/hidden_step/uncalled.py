import timeit

import torch

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.randn(2, 4).cuda()).mean().backward()
print(timeit.timeit(optimizer.step, number=10))
step = optimizer.step
