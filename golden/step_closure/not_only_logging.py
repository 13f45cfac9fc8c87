"""Statements that look like logging and do more, or log nothing of the device."""
import torch
from torch.utils.data import DataLoader


class Printer:
    def info(self, text):
        self.text = text


def print_loss(loss, seen=[]):
    seen.append(loss)


def train(model, dataset, accuracy):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    count, printer = 0, Printer()
    for i, (x, y) in enumerate(DataLoader(dataset)):
        out = model(x.cuda())
        loss = torch.nn.functional.mse_loss(out, y.cuda())
        loss.backward()
        optimizer.step()
        if i % 10 == 0:
            print_loss(loss.item())
            print(count := count + 1, loss.item())
            print(accuracy(out, y), loss.item())
            print([value.item() for value in (loss, out.mean())])
            printer.info(loss.item())
            print(loss.item(), *x.shape)
            print(loss.item(), file=printer)
        print(i, x.shape, y.size(0), loss.shape, end="\r")
    print(loss.item())
