"""The sampler is never told the epoch."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import Trainer, TrainingArguments


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
    model = DDP(torch.nn.Linear(4, 2).cuda(), device_ids=[dist.get_rank()])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = torch.utils.data.TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    sampler = torch.utils.data.distributed.DistributedSampler(dataset)
    loader = torch.utils.data.DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
