import torch
from collections import OrderedDict


@torch.no_grad()
def update_ema(ema_model, model, decay=0.9999):
    params = OrderedDict(model.named_parameters())
    for name, param in ema_model.named_parameters():
        ema_model_param = param.mul_(decay).add_(params[name].data, alpha=1 - decay)


def train(model, ema, loader, opt, device, log_every):
    model, ema = model.cuda(), ema.cuda()
    running_loss, log_steps = 0, 0
    for x, y in loader:
        loss = model(x.cuda(), y.cuda()).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        update_ema(ema, model)

        running_loss += loss.item()
        log_steps += 1
        if log_steps % log_every == 0:
            print(running_loss / log_steps)


def accumulate(model, model_ema, loader, opt, every):
    model = model.cuda()
    total = 0.0
    for i, (x, y) in enumerate(loader):
        loss = model(x.cuda(), y.cuda()).mean() / every
        loss.backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()
            if model_ema is not None:
                model_ema.update(model)
        total += loss.item()
    return total
