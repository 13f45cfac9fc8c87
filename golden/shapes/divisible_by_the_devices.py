"""What is divided by the number of GPUs to ask for a remainder is a batch here, and a rank only at the end."""

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

BATCH_SIZE = 16


def main():
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    if BATCH_SIZE % torch.cuda.device_count() != 0:
        raise ValueError("the batch must be divisible by the number of GPUs")
    torch.cuda.set_device(rank % torch.cuda.device_count())
    dataset = TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, BATCH_SIZE // torch.cuda.device_count(), sampler=sampler)
    model = nn.parallel.DistributedDataParallel(nn.Linear(4, 1).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print("process", rank % torch.cuda.device_count(), "of this host is done")


if __name__ == "__main__":
    main()
