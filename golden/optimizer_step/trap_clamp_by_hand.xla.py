import torch
import torch_xla.core.xla_model as xm


def clip(model):
    for p in model.parameters():
        if p.grad is not None:
            p.grad.data.clamp_(-1, 1)


def train(model, batches):
    model.cuda()
    optimizer = torch.optim.RMSprop(model.parameters())
    for x, y in batches:
        for p in model.parameters():
            p.grad = None
        model(x.cuda(), y.cuda()).backward()
        xm.reduce_gradients(optimizer)
        clip(model)
        optimizer.step()
    for x, y in batches:
        model(x.cuda(), y.cuda()).backward()
        xm.reduce_gradients(optimizer)
        norm = sum(p.grad.norm() for p in model.parameters())
        optimizer.step()
