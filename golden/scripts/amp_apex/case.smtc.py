"""Mixed precision (apex O1/O2) classification of spectrogram patches on several GPUs.

python -m torch.distributed.launch --nproc_per_node=NUM_GPUS main_amp.py --opt-level O1
"""
import argparse
import time

import torch
import torch.nn as nn
import torch.optim
import torch.utils.data
import torch.utils.data.distributed
import torch_xla.core.xla_model as xm


def parse():
    parser = argparse.ArgumentParser(description='Spectrogram patch training')
    parser.add_argument('--epochs', default=2, type=int, metavar='N')
    parser.add_argument('-b', '--batch-size', default=16, type=int, metavar='N', help='mini-batch size per process')
    parser.add_argument('--lr', default=0.01, type=float, metavar='LR',
                        help='will be scaled by <global batch size>/64: args.lr = args.lr*float(args.batch_size*args.world_size)/64.')
    parser.add_argument('--clip', default=5.0, type=float)
    parser.add_argument('--print-freq', '-p', default=2, type=int)
    parser.add_argument('--resume', default='', type=str, metavar='PATH')
    parser.add_argument("--local_rank", default=xm.get_local_ordinal(), type=int)
    parser.add_argument('--sync_bn', action='store_true', help='enabling apex sync BN.')
    parser.add_argument('--opt-level', type=str, default='O1')
    parser.add_argument('--keep-batchnorm-fp32', type=str, default=None)
    parser.add_argument('--loss-scale', type=str, default=None)
    return parser.parse_args()


class Patches(torch.utils.data.Dataset):
    def __init__(self, n, seed, bins=12):
        g = torch.Generator().manual_seed(seed)
        self.target = torch.randint(3, (n,), generator=g)
        # raw energies in 0..255, normalized on the GPU by the prefetcher
        self.patch = torch.randint(0, 128, (n, 1, bins, bins), generator=g).float()
        for i, t in enumerate(self.target.tolist()):
            self.patch[i, 0, 4 * t:4 * t + 4] += 90.0

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return self.patch[i], self.target[i]


class data_prefetcher():
    def __init__(self, loader):
        self.loader = iter(loader)
        device = xm.xla_device()
        self.mean = torch.tensor([90.0]).to(device).view(1, 1, 1, 1)
        self.std = torch.tensor([50.0]).to(device).view(1, 1, 1, 1)
        self.preload()

    def preload(self):
        try:
            self.next_input, self.next_target = next(self.loader)
        except StopIteration:
            self.next_input = None
            self.next_target = None
            return
        device = xm.xla_device()
        self.next_input = self.next_input.to(device, non_blocking=True)
        self.next_target = self.next_target.to(device, non_blocking=True)
        self.next_input = self.next_input.float().sub_(self.mean).div_(self.std)

    def next(self):
        input = self.next_input
        target = self.next_target
        self.preload()
        return input, target


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(inplace=True), nn.AvgPool2d(2),
        nn.Conv2d(6, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(8 * 3 * 3, 3))


def reduce_tensor(tensor, world_size):
    rt = tensor.clone()
    xm.all_reduce(xm.REDUCE_SUM, [rt])
    rt /= world_size
    return rt


def to_python_float(t):
    if hasattr(t, 'item'):
        return t.item()
    else:
        return t[0]


def train(args, train_loader, model, criterion, optimizer, epoch):
    model.train()
    end = time.time()
    prefetcher = data_prefetcher(train_loader)
    input, target = prefetcher.next()
    i = 0
    while input is not None:
        i += 1
        output = model(input)
        loss = criterion(output, target)

        optimizer.zero_grad()
        loss.backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_([p for group in optimizer.param_groups for p in group["params"]], args.clip)
        optimizer.step()
        xm.mark_step()

        if i % args.print_freq == 0:
            # Average loss across processes for logging
            reduced_loss = reduce_tensor(loss.data, args.world_size) if args.distributed else loss.data
            xm.mark_step()
            xm.wait_device_ops()
            if args.local_rank == 0:
                speed = args.world_size * args.print_freq * args.batch_size / (time.time() - end)
                print('Epoch: [{0}][{1}/{2}]\tSpeed {3:.3f}\tLoss {4:.10f}'.format(
                    epoch, i, len(train_loader), speed, to_python_float(reduced_loss)))
            end = time.time()
        input, target = prefetcher.next()


def main():
    args = parse()
    print("opt_level = {}".format(args.opt_level))

    args.distributed = False
    if xm.xrt_world_size() > 1:
        args.distributed = xm.xrt_world_size() > 1

    args.gpu = 0
    args.world_size = 1
    if args.distributed:
        args.gpu = args.local_rank
        args.world_size = xm.xrt_world_size()

    assert torch.backends.cudnn.enabled, "Amp requires cudnn backend to be enabled."

    torch.manual_seed(0)
    xm.set_rng_state(0)
    model = build_model()
    if args.sync_bn:
        print("using apex synced BN")
    device = xm.xla_device()
    model = model.to(device)

    args.lr = args.lr * float(args.batch_size * args.world_size) / 64.
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)

    # Initialize Amp. Amp accepts either values or strings for the optional override arguments.
    # delay_allreduce waits until the whole backward pass is done

    criterion = nn.CrossEntropyLoss().to(device)
    start_epoch = 0
    if args.resume:
        checkpoint = torch.load(args.resume, map_location='cpu')
        start_epoch = checkpoint['epoch']
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint['state_dict'], 'module.')
        model.load_state_dict(checkpoint['state_dict'])
        optimizer.load_state_dict(checkpoint['optimizer'])

    train_dataset = Patches(96, seed=1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()) if args.distributed else None
    train_loader = torch.utils.data.DataLoader(train_dataset, batch_size=args.batch_size,
                                               shuffle=(train_sampler is None), sampler=train_sampler)

    for epoch in range(start_epoch, args.epochs):
        if args.distributed:
            train_sampler.set_epoch(epoch)
        train(args, train_loader, model, criterion, optimizer, epoch)
        xm.save({'epoch': epoch + 1, 'state_dict': model.state_dict(),
                    'optimizer': optimizer.state_dict()}, 'patches_amp.pth.tar')


def _mp_fn(index):
    main()


if __name__ == '__main__':
    main()
