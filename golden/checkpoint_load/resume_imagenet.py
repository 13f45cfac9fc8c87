import os

import torch


def main_worker(gpu, args, model, optimizer):
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[gpu])
    if os.path.isfile(args.resume):
        if args.gpu is None:
            checkpoint = torch.load(args.resume)
        else:
            # Map model to be loaded to specified single gpu.
            loc = 'cuda:{}'.format(args.gpu)
            checkpoint = torch.load(args.resume, map_location=loc)
        args.start_epoch = checkpoint['epoch']
        model.load_state_dict(checkpoint['state_dict'])
        optimizer.load_state_dict(checkpoint['optimizer'])
    torch.save({'state_dict': model.state_dict()}, "out.pt")
