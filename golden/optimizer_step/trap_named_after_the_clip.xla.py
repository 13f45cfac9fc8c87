import torch
import torch_xla.core.xla_model as xm


def train(model, batches):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in batches:
        optimizer.zero_grad()
        model(x.cuda(), y.cuda()).backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        chosen = optimizer
        chosen.step()


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters())

    def train(self, batches):
        for x, y in batches:
            self.optimizer.zero_grad()
            self.model(x.cuda(), y.cuda()).backward()
            xm.reduce_gradients(self.optimizer)
            norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            optimizer = self.optimizer
            last = optimizer
            last.step()
            print(norm)


def named_before(model, batches):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in batches:
        chosen = optimizer
        chosen.zero_grad()
        model(x.cuda(), y.cuda()).backward()
        xm.reduce_gradients(chosen)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        chosen.step()
