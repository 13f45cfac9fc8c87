'''Train a little VGG on 3-channel textures with PyTorch.'''
from __future__ import print_function

import torch
import torch.nn as nn
import torch.optim as optim
import torch.nn.functional as F
import torch.utils.data as data
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

import os
import sys
import time


use_cuda = True
best_acc = 0  # best test accuracy
start_epoch = 0  # start from epoch 0 or last checkpoint epoch
batch_size = 20
lr = 0.05

torch.manual_seed(1)
if use_cuda:
    torch_xla.manual_seed(1)

# Data
print('==> Preparing data..')
class Textures(data.Dataset):
    def __init__(self, n, train):
        g = torch.Generator()
        g.manual_seed(100 if train else 200)
        self.y = torch.randint(0, 3, (n,), generator=g)
        x = 0.5 * torch.randn(n, 3, 8, 8, generator=g)
        x[self.y == 0, :, ::2, :] += 1
        x[self.y == 1, :, :, ::2] += 1
        x[self.y == 2, 0] += 1
        self.x = x

    def __getitem__(self, i):
        return self.x[i], self.y[i]

    def __len__(self):
        return self.y.size(0)

trainset = Textures(110, train=True)      # 5 full batches and one of 10
device = torch_xla.device()
trainloader = data.DataLoader(trainset, batch_size=batch_size, shuffle=True, num_workers=0)
trainloader = pl.MpDeviceLoader(trainloader, device)
testset = Textures(40, train=False)
testloader = data.DataLoader(testset, batch_size=batch_size, shuffle=False, num_workers=0)
testloader = pl.MpDeviceLoader(testloader, device)

# Model
print('==> Building model..')
cfg = [6, 'M', 12, 'M']

def make_layers(cfg):
    layers = []
    in_channels = 3
    for x in cfg:
        if x == 'M':
            layers += [nn.AvgPool2d(kernel_size=2, stride=2)]
        else:
            layers += [nn.Conv2d(in_channels, x, kernel_size=3, padding=1), nn.BatchNorm2d(x), nn.Softplus()]
            in_channels = x
    return nn.Sequential(*layers)

class VGG(nn.Module):
    def __init__(self):
        super(VGG, self).__init__()
        self.features = make_layers(cfg)
        self.classifier = nn.Linear(12 * 2 * 2, 3)

    def forward(self, x):
        out = self.features(x)
        out = out.view(out.size(0), -1)
        return F.log_softmax(self.classifier(out), dim=1)

net = VGG()
if use_cuda:
    net.to(device)

if '--resume' in sys.argv:
    # Load checkpoint.
    print('==> Resuming from checkpoint..')
    assert os.path.isdir('checkpoint'), 'Error: no checkpoint directory found!'
    checkpoint = torch.load('./checkpoint/ckpt.t7', map_location='cpu')
    net.load_state_dict(checkpoint['net'])
    best_acc = checkpoint['acc']
    start_epoch = checkpoint['epoch']

criterion = nn.NLLLoss()
optimizer = optim.SGD(net.parameters(), lr=lr, momentum=0.9, weight_decay=5e-4)

# Training
def train(epoch):
    print('\nEpoch: %d' % epoch)
    net.train()
    train_loss = 0
    correct = 0
    total = 0
    tic = time.time()
    for batch_idx, (inputs, targets) in enumerate(trainloader):
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)

        train_loss += loss.item()
        _, predicted = torch.max(outputs.data, 1)
        total += targets.size(0)
        correct += predicted.eq(targets.data).cpu().sum().item()

        print('%d/%d Loss: %.3f | Acc: %.3f%% (%d/%d)'
            % (batch_idx + 1, len(trainloader), train_loss/(batch_idx+1), 100.*correct/total, correct, total))
    print('%.1f images/s' % (total / (time.time() - tic)))

def test(epoch):
    global best_acc
    net.eval()
    test_loss = 0
    correct = 0
    total = 0
    with torch.no_grad():
        for batch_idx, (inputs, targets) in enumerate(testloader):
            outputs = net(inputs)
            test_loss += criterion(outputs, targets).item()
            _, predicted = torch.max(outputs.data, 1)
            total += targets.size(0)
            correct += predicted.eq(targets.data).cpu().sum().item()
    print('Test Loss: %.3f | Acc: %.3f%%' % (test_loss/len(testloader), 100.*correct/total))

    # Save checkpoint.
    acc = 100.*correct/total
    if acc > best_acc:
        print('Saving..')
        state = {
            'net': net.state_dict(),
            'acc': acc,
            'epoch': epoch,
        }
        if not os.path.isdir('checkpoint'):
            os.mkdir('checkpoint')
        xm.save(state, './checkpoint/ckpt.t7')
        best_acc = acc


for epoch in range(start_epoch, start_epoch+2):
    train(epoch)
    test(epoch)
print('best accuracy: %.2f%%' % best_acc)
