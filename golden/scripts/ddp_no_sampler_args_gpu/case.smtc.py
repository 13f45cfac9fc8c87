# -*- coding: utf-8 -*-
"""Train an autoencoder on sensor windows with torch.distributed.launch.

Every process shuffles the whole data set with its own seed, so there is no sampler.

usage: python -m torch.distributed.launch --nproc_per_node=4 train_ae.py
"""

from __future__ import print_function

import argparse
import os
import shutil
import time

import torch
import torch.nn as nn
import torch.utils.data as data
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

parser = argparse.ArgumentParser(description='Sensor window autoencoder')
parser.add_argument('--epochs', default=3, type=int, metavar='N')
parser.add_argument('-b', '--batch-size', default=12, type=int, metavar='N',
                    help='mini-batch size per process (default: 12)')
parser.add_argument('--lr', default=0.3, type=float, metavar='LR')
parser.add_argument('--momentum', default=0.9, type=float)
parser.add_argument('--wd', '--weight-decay', default=1e-5, type=float, dest='weight_decay')
parser.add_argument('-p', '--print-freq', default=2, type=int, metavar='N')
parser.add_argument('--resume', default='', type=str, metavar='PATH')
parser.add_argument('--seed', default=11, type=int)
parser.add_argument('--local_rank', default=int(os.environ.get('LOCAL_RANK', 0)), type=int,
                    help='filled in by torch.distributed.launch')


class SensorWindows(data.Dataset):
    def __init__(self, windows, length=24, channels=2):
        gen = torch.Generator().manual_seed(99)
        phase = 6.2832 * torch.rand(windows, channels, 1, generator=gen)
        freq = 0.2 + 0.4 * torch.rand(windows, channels, 1, generator=gen)
        steps = torch.arange(length, dtype=torch.float32)
        self.windows = torch.sin(freq * steps + phase) + 0.05 * torch.randn(windows, channels, length, generator=gen)

    def __getitem__(self, index):
        return self.windows[index]

    def __len__(self):
        return self.windows.size(0)


class AutoEncoder(nn.Module):
    def __init__(self, length=24, channels=2, code=6):
        super(AutoEncoder, self).__init__()
        size = length * channels
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(size, 24), nn.Tanh(), nn.Linear(24, code))
        self.decoder = nn.Sequential(nn.Linear(code, 24), nn.Tanh(), nn.Linear(24, size))
        self.shape = (channels, length)

    def forward(self, x):
        return self.decoder(self.encoder(x)).view(-1, *self.shape)


class AverageMeter(object):
    """Computes and stores the average and current value"""
    def __init__(self):
        self.val = self.sum = self.count = self.avg = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


def reduce_tensor(tensor):
    rt = tensor.clone()
    xm.all_reduce(xm.REDUCE_SUM, [rt])
    rt /= xm.xrt_world_size()
    return rt


def adjust_learning_rate(optimizer, epoch, args):
    """Sets the learning rate to the initial LR decayed by 10 every 2 epochs"""
    lr = args.lr * (0.1 ** (epoch // 2))
    for param_group in optimizer.param_groups:
        param_group['lr'] = lr


def save_checkpoint(state, is_best, filename='ae_checkpoint.pth.tar'):
    xm.save(state, filename)
    if is_best and xm.is_master_ordinal(local=False):
        shutil.copyfile(filename, 'ae_best.pth.tar')


def main():
    args = parser.parse_args()
    args.local_rank = xm.get_local_ordinal()
    args.gpu = args.local_rank

    args.world_size = xm.xrt_world_size()

    # a different shuffle on every process; DDP broadcasts the initial weights of rank 0
    torch.manual_seed(args.seed + xm.get_ordinal())
    xm.set_rng_state(torch.initial_seed())

    model = AutoEncoder()
    device = xm.xla_device()
    model.to(device)
    # the learning rate grows with the number of processes
    args.lr = args.lr * args.world_size
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=args.momentum, weight_decay=args.weight_decay)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    criterion = nn.MSELoss().to(device)

    best_loss = float('inf')
    start_epoch = 0
    if args.resume and os.path.isfile(args.resume):
        checkpoint = torch.load(args.resume, map_location='cpu')
        start_epoch = checkpoint['epoch']
        best_loss = checkpoint['best_loss']
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint['state_dict'], 'module.')
        model.load_state_dict(checkpoint['state_dict'])
        optimizer.load_state_dict(checkpoint['optimizer'])
        print("=> loaded checkpoint '{}' (epoch {})".format(args.resume, start_epoch))

    dataset = SensorWindows(54)
    loader = data.DataLoader(dataset, batch_size=args.batch_size, shuffle=True, num_workers=0)
    loader = pl.MpDeviceLoader(loader, device)

    for epoch in range(start_epoch, args.epochs):
        adjust_learning_rate(optimizer, epoch, args)
        batch_time, losses = AverageMeter(), AverageMeter()
        model.train()
        end = time.time()
        for i, input in enumerate(loader):
            output = model(input)
            loss = criterion(output, input)

            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)

            reduced_loss = reduce_tensor(loss.data)
            losses.update(reduced_loss.item(), input.size(0))
            batch_time.update(time.time() - end)
            end = time.time()

            if i % args.print_freq == 0 and args.local_rank == 0:
                print('Epoch: [{0}][{1}/{2}]\tTime {batch_time.val:.3f} ({batch_time.avg:.3f})\t'
                      'Loss {loss.val:.4f} ({loss.avg:.4f})'.format(
                          epoch, i, len(loader), batch_time=batch_time, loss=losses))

        is_best = losses.avg < best_loss
        best_loss = min(losses.avg, best_loss)
        save_checkpoint({
            'epoch': epoch + 1,
            'state_dict': model.state_dict(),
            'best_loss': best_loss,
            'optimizer': optimizer.state_dict(),
        }, is_best)


def _mp_fn(index):
    main()


if __name__ == '__main__':
    main()
