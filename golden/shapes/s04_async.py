"""The keyword async, as PyTorch 0.3 spelled it: it does not parse since Python 3.7."""
import torch
import torch.nn as nn
from torch.autograd import Variable


def train(loader, model, criterion, optimizer):
    model.train()
    for i, (input, target) in enumerate(loader):
        target = target.cuda(async=True)
        input_var = Variable(input)
        target_var = Variable(target)
        loss = criterion(model(input_var), target_var)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(loader):
    model = nn.DataParallel(nn.Linear(8, 2)).cuda()
    criterion = nn.CrossEntropyLoss().cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    train(loader, model, criterion, optimizer)
