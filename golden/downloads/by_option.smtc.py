import torch
import torch_xla.core.xla_model as xm
import torchvision


def make(args):
    if args.dataset == "cifar10":
        if not xm.is_master_ordinal():
            xm.rendezvous("download")
        # ten classes
        data = torchvision.datasets.CIFAR10(
            args.root,
            download=args.download,
        )
        if xm.is_master_ordinal():
            xm.rendezvous("download")
    else:
        data = torchvision.datasets.ImageFolder(args.root)
    return data


def main(args):
    data = make(args)
    model = torch.nn.DataParallel(torch.nn.Linear(8, 10)).cuda()
    return data, model
