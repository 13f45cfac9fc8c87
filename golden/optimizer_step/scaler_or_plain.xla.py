"""Two ways to step, chosen by a flag: one step, and one mark."""
import torch
import torch_xla.core.xla_model as xm


def train(model, batches, args):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.cuda.amp.GradScaler() if args.amp else None
    for x, y in batches:
        loss = model(x.cuda(), y.cuda())
        if scaler is not None:
            scaler.scale(loss).backward()
            xm.optimizer_step(optimizer)
            scaler.update()
        else:
            loss.backward()
            xm.optimizer_step(optimizer)
