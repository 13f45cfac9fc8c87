import torch


def train(loader, model, args):
    for images, target in loader:
        if args.gpu is not None:
            images = images.cuda(args.gpu, non_blocking=True)
        if args.gpu is not None and args.fast: target = target.cuda(args.gpu)
        if args.gpu is not None:
            print("GPU", args.gpu)
            images = images.cuda(args.gpu)
        if args.gpu is not None:
            images = images.cuda(args.other)
        model(images, target)
