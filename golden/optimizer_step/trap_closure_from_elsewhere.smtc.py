import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm

from solver import make_closure

dist.init_process_group("nccl")
model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(10):
    loss = xm.optimizer_step(optimizer, optimizer_args={"closure": make_closure(model, i)})
    xm.optimizer_step(optimizer, optimizer_args={"closure": lambda: model(torch.ones(4).cuda()).backward()})


def closure():
    loss = model(torch.ones(4).cuda())
    loss.backward()
    return loss


def fit(other):
    sgd = torch.optim.SGD(other.parameters(), lr=0.1)
    xm.optimizer_step(sgd, optimizer_args={"closure": closure})
