import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def log_step(step, loss):
    print(step, loss.item())


def train(model, loader, device):
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, (x, y) in enumerate(pl.MpDeviceLoader(loader, device)):
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)
        if step % 10 == 0:
            xm.add_step_closure(log_step, args=(step, loss))
            xm.add_step_closure(lambda loss: print(loss.item()), args=(loss,))
