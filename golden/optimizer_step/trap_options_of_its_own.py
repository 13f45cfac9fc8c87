"""The step of another library's optimizer takes options, which are no closure: it is called as it is."""

import torch
from full_batch import LineSearch

model = torch.nn.Linear(4, 1).cuda()
optimizer = LineSearch(model.parameters())


def closure():
    return model(torch.ones(4).cuda()).square().sum()


for _ in range(10):
    optimizer.zero_grad()
    loss = closure()
    loss.backward()
    options = {"closure": closure, "current_loss": loss, "max_ls": 10}
    loss, _, lr, *_ = optimizer.step(options)
