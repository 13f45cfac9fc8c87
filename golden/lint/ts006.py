"""The data parallel library of SageMaker, as its samples up to 2022 use it."""
import smdistributed.dataparallel.torch.distributed as dist
import torch
from smdistributed.dataparallel.torch.parallel.distributed import DistributedDataParallel as DDP

dist.init_process_group()


def main():
    torch.manual_seed(1)
    torch.cuda.set_device(dist.get_local_rank())
    model = DDP(torch.nn.Linear(4, 2).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.randn(8, 4).cuda()).sum().backward()
        optimizer.step()
    dist.barrier()


if __name__ == "__main__":
    main()
