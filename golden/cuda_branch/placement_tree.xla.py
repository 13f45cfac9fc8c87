import torch
import torch.nn as nn
import torch.nn.parallel
import torch_xla


def main_worker(gpu, ngpus_per_node, args):
    args.gpu = gpu
    model = nn.Linear(4, 2)

    device = torch_xla.device()
    # place the model
    # the batch is that of the node
    args.batch_size = int(args.batch_size / ngpus_per_node)
    args.workers = int((args.workers + ngpus_per_node - 1) / ngpus_per_node)
    model = model.to(device)

    criterion = nn.CrossEntropyLoss().cuda(args.gpu)
    for images, target in args.loader:
        images = images.cuda(args.gpu, non_blocking=True)
        target = target.cuda(args.gpu, non_blocking=True)
        criterion(model(images), target).backward()
