import torch
import torch.distributed as dist


def main(args):
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    device = rank % torch.cuda.device_count()
    seed = args.global_seed * dist.get_world_size() + rank
    torch.manual_seed(seed)
    torch.cuda.set_device(device)
    model = torch.nn.Linear(4, 1)
    ema = torch.nn.Linear(4, 1).to(device)
    model = torch.nn.parallel.DistributedDataParallel(model.to(device), device_ids=[rank])
    z = torch.randn(4, 4, device=device)
    print(model(z).mean())


def by_number(rank):
    local = rank % torch.cuda.device_count()
    torch.cuda.set_device(local)
    model = torch.nn.Linear(4, 1).to(local)
    print("on", local, model(torch.randn(4, 4).to(local)))


def asked_for_its_number(rank):
    device = rank % torch.cuda.device_count()
    model = torch.nn.Linear(4, 1).to(device)
    if device == 0:
        print(model(torch.randn(4, 4, device=device)).mean())


if __name__ == "__main__":
    main(None)
