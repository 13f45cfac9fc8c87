import torch


def main():
    torch.set_default_tensor_type("torch.HalfTensor")
    poses = torch.Tensor([1.0, 2.0])
    return poses + torch.zeros(2)


def train(args):
    if args.half:
        torch.set_default_tensor_type("torch.HalfTensor")
    net = torch.nn.DataParallel(torch.nn.Linear(2, 2))
    return net(torch.ones(2, 2))
