"""Mixed precision (apex O1/O2) classification of spectrogram patches on several GPUs.

python -m torch.distributed.launch --nproc_per_node=NUM_GPUS main_amp.py --opt-level O1
"""
import argparse
import os
import time

import torch
import torch.backends.cudnn as cudnn
import torch.distributed as dist
import torch.nn as nn
import torch.optim
import torch.utils.data
import torch.utils.data.distributed

try:
    import apex
    from apex import amp
    from apex.parallel import DistributedDataParallel as DDP
except ImportError:
    raise ImportError("Please install apex from https://www.github.com/nvidia/apex to run this example.")


def parse():
    parser = argparse.ArgumentParser(description='Spectrogram patch training')
    parser.add_argument('--epochs', default=2, type=int, metavar='N')
    parser.add_argument('-b', '--batch-size', default=16, type=int, metavar='N', help='mini-batch size per process')
    parser.add_argument('--lr', default=0.01, type=float, metavar='LR',
                        help='will be scaled by <global batch size>/64: args.lr = args.lr*float(args.batch_size*args.world_size)/64.')
    parser.add_argument('--clip', default=5.0, type=float)
    parser.add_argument('--print-freq', '-p', default=2, type=int)
    parser.add_argument('--resume', default='', type=str, metavar='PATH')
    parser.add_argument("--local_rank", default=os.getenv('LOCAL_RANK', 0), type=int)
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
        self.stream = torch.cuda.Stream()
        self.mean = torch.tensor([90.0]).cuda().view(1, 1, 1, 1)
        self.std = torch.tensor([50.0]).cuda().view(1, 1, 1, 1)
        self.preload()

    def preload(self):
        try:
            self.next_input, self.next_target = next(self.loader)
        except StopIteration:
            self.next_input = None
            self.next_target = None
            return
        with torch.cuda.stream(self.stream):
            self.next_input = self.next_input.cuda(non_blocking=True)
            self.next_target = self.next_target.cuda(non_blocking=True)
            self.next_input = self.next_input.float().sub_(self.mean).div_(self.std)

    def next(self):
        torch.cuda.current_stream().wait_stream(self.stream)
        input = self.next_input
        target = self.next_target
        if input is not None:
            input.record_stream(torch.cuda.current_stream())
        if target is not None:
            target.record_stream(torch.cuda.current_stream())
        self.preload()
        return input, target


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(inplace=True), nn.AvgPool2d(2),
        nn.Conv2d(6, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(8 * 3 * 3, 3))


def reduce_tensor(tensor, world_size):
    rt = tensor.clone()
    dist.all_reduce(rt, op=dist.ReduceOp.SUM)
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
        with amp.scale_loss(loss, optimizer) as scaled_loss:
            scaled_loss.backward()
        torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), args.clip)
        optimizer.step()

        if i % args.print_freq == 0:
            # Average loss across processes for logging
            reduced_loss = reduce_tensor(loss.data, args.world_size) if args.distributed else loss.data
            torch.cuda.synchronize()
            if args.local_rank == 0:
                speed = args.world_size * args.print_freq * args.batch_size / (time.time() - end)
                print('Epoch: [{0}][{1}/{2}]\tSpeed {3:.3f}\tLoss {4:.10f}'.format(
                    epoch, i, len(train_loader), speed, to_python_float(reduced_loss)))
            end = time.time()
        input, target = prefetcher.next()


def main():
    args = parse()
    print("opt_level = {}".format(args.opt_level))
    cudnn.benchmark = True

    args.distributed = False
    if 'WORLD_SIZE' in os.environ:
        args.distributed = int(os.environ['WORLD_SIZE']) > 1

    args.gpu = 0
    args.world_size = 1
    if args.distributed:
        args.gpu = args.local_rank
        torch.cuda.set_device(args.gpu)
        torch.distributed.init_process_group(backend='nccl', init_method='env://')
        args.world_size = torch.distributed.get_world_size()

    assert torch.backends.cudnn.enabled, "Amp requires cudnn backend to be enabled."

    torch.manual_seed(0)
    model = build_model()
    if args.sync_bn:
        print("using apex synced BN")
        model = apex.parallel.convert_syncbn_model(model)
    model = model.cuda()

    args.lr = args.lr * float(args.batch_size * args.world_size) / 64.
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)

    # Initialize Amp. Amp accepts either values or strings for the optional override arguments.
    model, optimizer = amp.initialize(model, optimizer,
                                      opt_level=args.opt_level,
                                      keep_batchnorm_fp32=args.keep_batchnorm_fp32,
                                      loss_scale=args.loss_scale)
    # delay_allreduce waits until the whole backward pass is done
    if args.distributed:
        model = DDP(model, delay_allreduce=True)

    criterion = nn.CrossEntropyLoss().cuda()
    start_epoch = 0
    if args.resume:
        checkpoint = torch.load(args.resume, map_location=lambda storage, loc: storage.cuda(args.gpu))
        start_epoch = checkpoint['epoch']
        model.load_state_dict(checkpoint['state_dict'])
        optimizer.load_state_dict(checkpoint['optimizer'])
        amp.load_state_dict(checkpoint['amp'])

    train_dataset = Patches(96, seed=1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(train_dataset) if args.distributed else None
    train_loader = torch.utils.data.DataLoader(train_dataset, batch_size=args.batch_size,
                                               shuffle=(train_sampler is None), pin_memory=True, sampler=train_sampler)

    for epoch in range(start_epoch, args.epochs):
        if args.distributed:
            train_sampler.set_epoch(epoch)
        train(args, train_loader, model, criterion, optimizer, epoch)
        if args.local_rank == 0:
            torch.save({'epoch': epoch + 1, 'state_dict': model.state_dict(),
                        'optimizer': optimizer.state_dict(), 'amp': amp.state_dict()}, 'patches_amp.pth.tar')


if __name__ == '__main__':
    main()
