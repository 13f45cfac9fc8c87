from solver import build_optimizer, build_scheduler
import torch_xla.core.xla_model as xm


class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.model(x.cuda(), y.cuda())
        loss.backward()
        xm.optimizer_step(self.optimizer, barrier=True)
        return loss


def train_one_epoch(config, model, batches, optim2):
    optimizer = build_optimizer(config, model)
    scheduler = build_scheduler(config, optimizer)
    for x, y in batches:
        optimizer.zero_grad()
        model(x.cuda(), y.cuda()).backward()
        xm.optimizer_step(optimizer)
        scheduler.step()
    for x, y in batches:
        optim2.zero_grad()
        model(x.cuda(), y.cuda()).backward()
        xm.optimizer_step(optim2)
