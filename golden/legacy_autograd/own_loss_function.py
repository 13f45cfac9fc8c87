import torch
from torch.autograd import Variable

bce = torch.nn.BCELoss()


def loss_function(recon, x, mu):
    kld = torch.sum(mu.pow(2)).mul_(-0.5)
    return bce(recon, x) + kld


def pair(x):
    return x, x


def train(model, data, optimizer, elbo):
    total = 0
    for x in data:
        x = Variable(x).cuda()
        loss = loss_function(model(x), x, x)
        loss.backward()
        optimizer.step()
        total += loss.data[0]
        bound = elbo(model, x)
        bound.backward()
        print(bound.data[0], loss_function(x, x, x).data[0], x.data[0], pair(x).data[0])
    return total
