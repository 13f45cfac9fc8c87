import torch
from project.utils import NativeScaler as TheirScaler


class NativeScaler:
    def __call__(self, loss, optimizer, clip_grad=None, parameters=None):
        loss.backward()
        optimizer.step()


def train(model, loader, optimizer):
    own, theirs = NativeScaler(), TheirScaler()
    for x, y in loader:
        loss = model(x.cuda(), y.cuda())
        optimizer.zero_grad()
        own(loss, optimizer, parameters=model.parameters())
        theirs(loss, optimizer, clip_grad=1.0, parameters=model.parameters())
