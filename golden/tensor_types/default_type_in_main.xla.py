import torch


def main():
    torch.set_default_dtype(torch.float16)
    torch.set_default_device("xla")
    poses = torch.Tensor([1.0, 2.0])
    return poses + torch.zeros(2)


def train(args):
    if args.half:
        torch.set_default_dtype(torch.float16)
        torch.set_default_device("xla")
    else:
        torch.set_default_device("xla")
    net = torch.nn.DataParallel(torch.nn.Linear(2, 2))
    return net(torch.ones(2, 2))
