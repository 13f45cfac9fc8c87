'''
Fine-grained letter recognition with a narrow residual network.
Uses every GPU of the machine through nn.DataParallel.
'''
import argparse
import os
import random
import time

import torch
import torch.nn as nn
import torch.optim as optim
import torch.utils.data as data
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

parser = argparse.ArgumentParser(description='PyTorch Letters Training')
# Datasets
parser.add_argument('-j', '--workers', default=0, type=int, help='number of data loading workers')
# Optimization options
parser.add_argument('--epochs', default=2, type=int)
parser.add_argument('--start-epoch', default=0, type=int)
parser.add_argument('--train-batch', default=16, type=int)
parser.add_argument('--test-batch', default=32, type=int)
parser.add_argument('--lr', '--learning-rate', default=0.02, type=float)
parser.add_argument('--schedule', type=int, nargs='+', default=[1], help='decrease learning rate at these epochs')
parser.add_argument('--gamma', type=float, default=0.1)
parser.add_argument('--momentum', default=0.9, type=float)
parser.add_argument('--weight-decay', '--wd', default=5e-4, type=float)
# Checkpoints
parser.add_argument('-c', '--checkpoint', default='checkpoint', type=str, metavar='PATH')
parser.add_argument('--resume', default='', type=str, metavar='PATH')
parser.add_argument('-e', '--evaluate', dest='evaluate', action='store_true')
# Miscs
parser.add_argument('--manualSeed', type=int, default=17, help='manual seed')
parser.add_argument('--gpu-id', default='0', type=str, help='id(s) for CUDA_VISIBLE_DEVICES')


class Letters(data.Dataset):
    """Ten fixed 12x12 glyphs, shifted and made noisy."""
    def __init__(self, n, seed):
        gen = torch.Generator().manual_seed(5)
        glyphs = (torch.rand(10, 12, 12, generator=gen) > 0.7).float()
        gen.manual_seed(seed)
        self.targets = torch.randint(10, (n,), generator=gen)
        shifts = torch.randint(-1, 2, (n,), generator=gen)
        self.images = torch.stack([glyphs[t].roll(int(s), 1) for t, s in zip(self.targets, shifts)]).unsqueeze(1)
        self.images += 0.2 * torch.randn(self.images.shape, generator=gen)

    def __getitem__(self, index):
        return self.images[index], self.targets[index]

    def __len__(self):
        return len(self.targets)


class BasicBlock(nn.Module):
    def __init__(self, planes):
        super(BasicBlock, self).__init__()
        self.conv1 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.relu(out + x)


class ResNet(nn.Module):
    def __init__(self, planes=6, num_classes=10):
        super(ResNet, self).__init__()
        self.stem = nn.Conv2d(1, planes, 3, stride=2, padding=1)
        self.block = BasicBlock(planes)
        self.fc = nn.Linear(planes * 36, num_classes)

    def forward(self, x):
        x = self.block(self.stem(x))
        return self.fc(x.view(x.size(0), -1))


def accuracy(output, target):
    return 100.0 * output.max(1)[1].eq(target).float().mean()


def train(trainloader, model, criterion, optimizer, use_cuda):
    model.train()
    total, loss_sum = 0, 0.0
    end = time.time()
    for batch_idx, (inputs, targets) in enumerate(trainloader):
        # compute output
        outputs = model(inputs)
        loss = criterion(outputs, targets)

        # compute gradient and do SGD step
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)

        total += inputs.size(0)
        loss_sum += loss.item() * inputs.size(0)
    print('   train loss %.4f | %.3fs | batches %d' % (loss_sum / total, time.time() - end, len(trainloader)))
    return loss_sum / total


def test(testloader, model, criterion, use_cuda):
    model.eval()
    total, loss_sum, acc_sum = 0, 0.0, 0.0
    for inputs, targets in testloader:
        with torch.no_grad():
            outputs = model(inputs)
        n = inputs.size(0)
        total += n
        loss_sum += criterion(outputs, targets).item() * n
        acc_sum += accuracy(outputs, targets).item() * n
    return loss_sum / total, acc_sum / total


def adjust_learning_rate(optimizer, epoch):
    global state
    if epoch in args.schedule:
        state['lr'] *= args.gamma
        for param_group in optimizer.param_groups:
            param_group['lr'] = state['lr']


def main():
    global best_acc
    start_epoch = args.start_epoch
    os.makedirs(args.checkpoint, exist_ok=True)

    device = xm.xla_device()
    train_dataset = Letters(80, 1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    trainloader = data.DataLoader(
        train_dataset,
        batch_size=args.train_batch // xm.xrt_world_size(),
        sampler=train_sampler,
        num_workers=args.workers)
    trainloader = pl.MpDeviceLoader(trainloader, device)
    testloader = data.DataLoader(Letters(40, 2), batch_size=args.test_batch, shuffle=False, num_workers=args.workers)
    testloader = pl.MpDeviceLoader(testloader, device)

    model = ResNet()
    model = model.to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    print('    Total params: %.2fK' % (sum(p.numel() for p in model.parameters()) / 1000.0))
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum, weight_decay=args.weight_decay)

    if args.resume:
        checkpoint = torch.load(args.resume, map_location='cpu')
        best_acc = checkpoint['best_acc']
        start_epoch = checkpoint['epoch']
        model.load_state_dict(checkpoint['state_dict'])
        optimizer.load_state_dict(checkpoint['optimizer'])

    if args.evaluate:
        print(' Test Loss:  %.8f, Test Acc:  %.2f' % test(testloader, model, criterion, use_cuda))
        return

    for epoch in range(start_epoch, args.epochs):
        train_sampler.set_epoch(epoch)
        adjust_learning_rate(optimizer, epoch)
        print('\nEpoch: [%d | %d] LR: %f' % (epoch + 1, args.epochs, state['lr']))
        train_loss = train(trainloader, model, criterion, optimizer, use_cuda)
        test_loss, test_acc = test(testloader, model, criterion, use_cuda)
        print('   loss %.4f -> %.4f, acc %.2f' % (train_loss, test_loss, test_acc))

        is_best = test_acc > best_acc
        best_acc = max(test_acc, best_acc)
        checkpoint = {'epoch': epoch + 1, 'state_dict': model.state_dict(), 'best_acc': best_acc,
                      'optimizer': optimizer.state_dict()}
        xm.save(checkpoint, os.path.join(args.checkpoint, 'checkpoint.pth.tar'))
        if is_best:
            xm.save(checkpoint, os.path.join(args.checkpoint, 'model_best.pth.tar'))

    print('Best acc:')
    print(best_acc)


def run():
    global args, state, use_cuda, best_acc
    args = parser.parse_args()
    state = {k: v for k, v in args._get_kwargs()}

    # Use CUDA
    use_cuda = True

    # Random seed
    if args.manualSeed is None:
        args.manualSeed = random.randint(1, 10000)
    random.seed(args.manualSeed)
    torch.manual_seed(args.manualSeed)
    if use_cuda:
        xm.set_rng_state(args.manualSeed)

    best_acc = 0  # best test accuracy
    main()


def _mp_fn(index):
    run()


if __name__ == "__main__":
    run()
