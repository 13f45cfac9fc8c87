import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from launching import launch


def worker(args):
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 2).cuda(), device_ids=[dist.get_rank()])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * args.n_gpu)
    data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    loader = DataLoader(data, batch_size=128 // args.n_gpu, sampler=DistributedSampler(data), drop_last=True)
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--n_gpu", type=int, default=1)
    args = parser.parse_args()
    launch(worker, args.n_gpu, args=(args,))
