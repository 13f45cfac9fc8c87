import torch
import torch.nn as nn


def main(args):
    model = nn.Linear(4, 2)
    args.distributed = args.world_size > 1

    if not args.distributed:
        if args.arch.startswith('alexnet') or args.arch.startswith('vgg'):
            model.features = torch.nn.DataParallel(model.features)
            model.cuda()
        else:
            model = torch.nn.DataParallel(model).cuda()
    else:
        model.cuda()
        model = torch.nn.parallel.DistributedDataParallel(model)

    # define loss function
    criterion = nn.CrossEntropyLoss().cuda()
    return model, criterion
