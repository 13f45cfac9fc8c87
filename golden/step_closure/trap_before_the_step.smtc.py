"""Printed before the step, in a loop whose step has a barrier: the closure runs at that barrier."""
import torch
import torch_xla.core.xla_model as xm


def train(model, get_batch):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def log_step(i, loss):
        print(i, loss.item())

    for i in range(1000):
        loss = model(get_batch(i).cuda()).mean()
        xm.add_step_closure(log_step, args=(i, loss.detach()))
        loss.backward()
        optimizer.step()
