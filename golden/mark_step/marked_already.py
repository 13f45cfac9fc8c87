import torch
import torch_xla.core.xla_model as xm


def step(model, optimizer, x):
    model(x).backward()
    optimizer.step()
    xm.mark_step()


def train(model, get_batch, device):
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for i in range(10):
        model(get_batch(i).to(device)).backward()
        optimizer.step()
        xm.mark_step()
    for i in range(10):
        step(model, optimizer, get_batch(i).to(device))
    for i in range(10):
        model(get_batch(i).to(device)).backward()
        xm.optimizer_step(optimizer, barrier=True)
