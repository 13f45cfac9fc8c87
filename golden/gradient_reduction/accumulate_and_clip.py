import torch
import torch.distributed as dist
from torch.cuda import amp


def main(rank, dataset, args):
    dist.init_process_group("nccl")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1).cuda(rank))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = amp.GradScaler(enabled=args.amp)
    for i, (x, y) in enumerate(torch.utils.data.DataLoader(dataset)):
        with amp.autocast(enabled=args.amp):
            loss = torch.nn.functional.mse_loss(model(x.cuda(rank)), y.cuda(rank)) / args.accumulate
        scaler.scale(loss).backward()
        if (i + 1) % args.accumulate == 0:
            # clip, if asked to
            if args.clip:
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
