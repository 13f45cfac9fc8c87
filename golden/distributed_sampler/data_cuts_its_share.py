import torch
import torch.distributed as dist
from torch.utils.data import DataLoader

from data import Images


def get_loader(args):
    images = Images(args.folder, shard=dist.get_rank(), num_shards=dist.get_world_size())
    if args.share:
        return DataLoader(images, batch_size=64, shuffle=True)
    if dist.is_initialized():
        return DataLoader(Images(args.folder, dist.get_rank()), batch_size=64, shuffle=True)
    else:
        return DataLoader(Images(args.folder), batch_size=64, shuffle=True)


def main(args):
    dist.init_process_group("nccl")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in get_loader(args):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        optimizer.step()
