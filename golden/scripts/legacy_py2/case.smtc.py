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
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

parser = argparse.ArgumentParser(description='Digit sums')
parser.add_argument('--batchSize', type=int, default=16, help='input batch size')
parser.add_argument('--niter', type=int, default=3, help='number of epochs to train for')
parser.add_argument('--lr', type=float, default=0.01)
parser.add_argument('--cuda', action='store_false', help='disables cuda')
parser.add_argument('--outf', default='.', help='folder for the checkpoints')
parser.add_argument('--manualSeed', type=int, default=9)


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
        data, target = Variable(data), Variable(target)
        optimizer.zero_grad()
        output = net(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        xm.optimizer_step(optimizer)
        if i % 2 == 0:
            print('[%d/%d][%d/%d] Loss: %.4f' % (epoch, opt.niter, i, len(loader), loss.item()))
    print('epoch time: %.2f s' % (time.time() - start))


def test(net, loader):
    net.eval()
    test_loss, correct = 0, 0
    device = xm.xla_device()
    device_loader = pl.MpDeviceLoader(loader, device) if opt.cuda else loader
    for data, target in device_loader:
        data, target = Variable(data, volatile=True), Variable(target)
        output = net(data)
        test_loss += F.nll_loss(output, target, size_average=False).item()
        pred = output.data.max(1)[1]
        correct += pred.eq(target.data).cpu().sum()
    n = len(loader.dataset)
    print('Test: loss %.4f, accuracy %d/%d' % (test_loss / n, correct, n))


def main():
    global opt
    opt = parser.parse_args()
    print(opt)

    torch.manual_seed(opt.manualSeed)
    if opt.cuda:
        xm.set_rng_state(opt.manualSeed)

    if not opt.cuda:
        print("WARNING: You have a CUDA device, so you should probably run with --cuda")

    device = xm.xla_device()
    train_dataset = make_data(96)
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    train_loader = DataLoader(train_dataset, batch_size=opt.batchSize // xm.xrt_world_size(), sampler=train_sampler)
    train_loader = pl.MpDeviceLoader(train_loader, device) if opt.cuda else train_loader
    test_loader = DataLoader(make_data(32), batch_size=opt.batchSize)

    net = Net()
    if opt.cuda:
        net.to(device)
    optimizer = optim.Adam(net.parameters(), lr=opt.lr)

    for epoch in range(opt.niter):
        train_sampler.set_epoch(epoch)
        train(epoch, net, train_loader, optimizer)
        test(net, test_loader)
        xm.save(net.state_dict(), '%s/net_epoch_%d.pth' % (opt.outf, epoch))


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
