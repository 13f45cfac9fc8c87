import torch
import torch.nn.functional as F
from torch.autograd import Variable


def train(model, loader, optimizer, criterion, losses):
    for i, (data, target) in enumerate(loader):
        data, target = Variable(data.cuda()), Variable(target.cuda())
        output = model(data)
        loss = F.nll_loss(output, target)
        optimizer.zero_grad()
        loss.backward(retain_variables=True)
        optimizer.step()
        losses.update(loss.data[0], data.size(0))
        total += loss.data[0]


def test(model, loader):
    for data, target in loader:
        data = Variable(data.cuda(), volatile=True)
        output = model(data)
        pred = output.data[0]


def adversarial(real, fake, label):
    err_real = F.mse_loss(real, label)
    err_fake = F.mse_loss(fake, label)
    err = err_real + err_fake
    score = real.data.mean()
    print(err.data[0], score.data[0], real.data[0])
