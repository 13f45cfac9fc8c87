from solver import build_optimizer, build_scheduler


class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.model(x.cuda(), y.cuda())
        loss.backward()
        self.optimizer.step()
        return loss


def train_one_epoch(config, model, batches, optim2):
    optimizer = build_optimizer(config, model)
    scheduler = build_scheduler(config, optimizer)
    for x, y in batches:
        optimizer.zero_grad()
        model(x.cuda(), y.cuda()).backward()
        optimizer.step()
        scheduler.step()
    for x, y in batches:
        optim2.zero_grad()
        model(x.cuda(), y.cuda()).backward()
        optim2.step()
