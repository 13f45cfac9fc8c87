import torch
import torch.distributed as dist

from solver import make_closure

dist.init_process_group("nccl")
model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(10):
    loss = optimizer.step(make_closure(model, i))
    optimizer.step(lambda: model(torch.ones(4).cuda()).backward())


def closure():
    loss = model(torch.ones(4).cuda())
    loss.backward()
    return loss


def fit(other):
    sgd = torch.optim.SGD(other.parameters(), lr=0.1)
    sgd.step(closure)
