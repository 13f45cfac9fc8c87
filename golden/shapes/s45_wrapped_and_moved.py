import torch
import torch.multiprocessing as mp
from torch.distributed import init_process_group
from torch.nn.parallel import DistributedDataParallel


def train(rank, a, h):
    if h.num_gpus > 1:
        init_process_group(backend="nccl", init_method=h.url, world_size=h.hosts * h.num_gpus, rank=rank)
    device = torch.device("cuda:{:d}".format(rank))
    generator = torch.nn.Linear(4, 4).to(device)
    critic = torch.nn.Linear(4, 1).to(device)
    if h.num_gpus > 1:
        generator = DistributedDataParallel(generator, device_ids=[rank]).to(device)
        critic = DistributedDataParallel(critic, device_ids=[rank]).to(device)
    optimizer = torch.optim.AdamW(generator.parameters())
    for x in a.loader:
        loss = critic(generator(x.to(device))).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(loss.item() * h.batch_size)


def main(a, h):
    torch.manual_seed(h.seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed(h.seed)
        h.num_gpus = torch.cuda.device_count()
        h.batch_size = int(h.batch_size / h.num_gpus)
        print("Batch size per GPU :", h.batch_size)
    if h.num_gpus > 1:
        mp.spawn(train, nprocs=h.num_gpus, args=(a, h))
    else:
        train(0, a, h)
