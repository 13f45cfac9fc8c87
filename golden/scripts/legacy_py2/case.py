#!/usr/bin/env python2
# -*- coding: utf-8 -*-
"""Digit-sum classifier trained with PyTorch 0.2 on Python 2.7."""
import argparse
import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
import torch.backends.cudnn as cudnn
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser(description='Digit sums')
parser.add_argument('--batchSize', type=int, default=16, help='input batch size')
parser.add_argument('--niter', type=int, default=3, help='number of epochs to train for')
parser.add_argument('--lr', type=float, default=0.01)
parser.add_argument('--cuda', action='store_false', help='disables cuda')
parser.add_argument('--outf', default='.', help='folder for the checkpoints')
parser.add_argument('--manualSeed', type=int, default=9)
opt = parser.parse_args()
print opt

torch.manual_seed(opt.manualSeed)
if opt.cuda:
    torch.cuda.manual_seed_all(opt.manualSeed)
cudnn.benchmark = True

if torch.cuda.is_available() and not opt.cuda:
    print "WARNING: You have a CUDA device, so you should probably run with --cuda"


def make_data(n):
    digits = (torch.rand(n, 6) * 10).long().clamp(0, 9)
    labels = digits.sum(1).squeeze() % 2
    return TensorDataset(digits, labels.long())


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.embed = nn.Embedding(10, 8)
        self.fc1 = nn.Linear(48, 32)
        self.fc2 = nn.Linear(32, 2)

    def forward(self, x):
        x = self.embed(x)
        x = x.view(x.size(0), -1)
        x = F.tanh(self.fc1(x))
        return F.log_softmax(self.fc2(x))


def train(epoch, net, loader, optimizer):
    net.train()
    start = time.time()
    for i, (data, target) in enumerate(loader):
        if opt.cuda:
            data, target = data.cuda(async=True), target.cuda(async=True)
        data, target = Variable(data), Variable(target)
        optimizer.zero_grad()
        output = net(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()
        if i % 2 == 0:
            print '[%d/%d][%d/%d] Loss: %.4f' % (epoch, opt.niter, i, len(loader), loss.data[0])
    print 'epoch time: %.2f s' % (time.time() - start)


def test(net, loader):
    net.eval()
    test_loss, correct = 0, 0
    for data, target in loader:
        if opt.cuda:
            data, target = data.cuda(), target.cuda()
        data, target = Variable(data, volatile=True), Variable(target)
        output = net(data)
        test_loss += F.nll_loss(output, target, size_average=False).data[0]
        pred = output.data.max(1)[1]
        correct += pred.eq(target.data).cpu().sum()
    n = len(loader.dataset)
    print 'Test: loss %.4f, accuracy %d/%d' % (test_loss / n, correct, n)


train_loader = DataLoader(make_data(96), batch_size=opt.batchSize, shuffle=True, pin_memory=opt.cuda)
test_loader = DataLoader(make_data(32), batch_size=opt.batchSize, pin_memory=opt.cuda)

net = Net()
if opt.cuda:
    net = nn.DataParallel(net)
    net.cuda()
optimizer = optim.Adam(net.parameters(), lr=opt.lr)

for epoch in xrange(opt.niter):
    train(epoch, net, train_loader, optimizer)
    test(net, test_loader)
    torch.save(net.state_dict(), '%s/net_epoch_%d.pth' % (opt.outf, epoch))
