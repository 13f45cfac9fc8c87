import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def train(dataset, limit):
    torch.distributed.init_process_group("nccl")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    seen = 0
    for x, y in DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset)):
        torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        optimizer.step()
        seen += x.size(0)
        if seen > limit:
            break
