import torch
import torchvision


def make(args):
    if args.dataset == "cifar10":
        # ten classes
        data = torchvision.datasets.CIFAR10(
            args.root,
            download=args.download,
        )
    else:
        data = torchvision.datasets.ImageFolder(args.root)
    return data


def main(args):
    data = make(args)
    model = torch.nn.DataParallel(torch.nn.Linear(8, 10)).cuda()
    return data, model
