import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset


class Shards(IterableDataset):
    def __iter__(self):
        yield from read(dist.get_rank())


def main(local_rank):
    dist.init_process_group("nccl")
    model = DDP(torch.nn.Linear(4, 2).cuda(local_rank), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(
        Shards(),
        batch_size=64,
        drop_last=True,
    )
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x.cuda(local_rank)), y.cuda(local_rank)).backward()
        optimizer.step()
