import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
from torchvision import datasets


def main(args):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if args.dataset == "cifar10":
        train_dataset = datasets.CIFAR10("data")
        train_sampler = torch.utils.data.distributed.DistributedSampler(
            train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
        )
        train_loader = DataLoader(
            train_dataset, batch_size=args.batch_size // xm.xrt_world_size(), sampler=train_sampler)
    elif args.dataset == "cifar100":
        train_dataset = datasets.CIFAR100("data")
        train_sampler = torch.utils.data.distributed.DistributedSampler(
            train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
        )
        train_loader = DataLoader(
            train_dataset, batch_size=args.batch_size // xm.xrt_world_size(), sampler=train_sampler)
    else:
        train_dataset = datasets.ImageFolder(args.data)
        train_sampler = torch.utils.data.distributed.DistributedSampler(
            train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
        )
        train_loader = DataLoader(
            train_dataset, batch_size=args.batch_size // xm.xrt_world_size(), shuffle=(train_sampler is None), sampler=train_sampler)

    for epoch in range(args.epochs):
        train_sampler.set_epoch(epoch)
        for x, y in train_loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
