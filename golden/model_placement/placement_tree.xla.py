import torch
import torch.nn as nn
import torch.nn.parallel
import torch_xla


def main_worker(gpu, ngpus_per_node, args):
    args.gpu = gpu
    model = nn.Linear(4, 2)

    device = torch_xla.device()
    # place the model
    if args.distributed:
        # the batch is that of the node
        args.batch_size = int(args.batch_size / ngpus_per_node)
        args.workers = int((args.workers + ngpus_per_node - 1) / ngpus_per_node)
    model = model.to(device)

    criterion = nn.CrossEntropyLoss().cuda(args.gpu)
    for images, target in args.loader:
        if args.gpu is not None:
            images = images.cuda(args.gpu, non_blocking=True)
        if torch.cuda.is_available():
            target = target.cuda(args.gpu, non_blocking=True)
        criterion(model(images), target).backward()
