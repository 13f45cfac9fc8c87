import torch
from torch.autograd import Variable


def mistakes(output, y):
    return (output - y).abs().sum()


def train(model, data, optimizer):
    for x, y in data:
        x, y = Variable(x).cuda(), Variable(y).cuda()
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        print(loss.data[0], mistakes(x, y).data[0])
