import torch
import torch.distributed as dist


def validate(model, loader, rank):
    total = torch.zeros(2).cuda()
    for x, y in loader:
        total[0] += (model(x.cuda()).argmax(1) == y.cuda()).sum()
        total[1] += len(y)
    dist.all_reduce(total)
    accuracy = total[0] / total[1]
    if rank == 0:
        print(f"accuracy {accuracy:.3f}")


def reduce_mean(tensor, world_size):
    reduced = tensor.clone()
    dist.all_reduce(reduced, op=dist.ReduceOp.SUM)
    return reduced / world_size


def report(losses, world_size):
    mean = reduce_mean(torch.stack(losses).mean(), world_size)
    best = reduce_mean(torch.stack(losses).min(), world_size)
    if dist.get_rank() == 0:
        print("mean", mean.item(), "best", best.item())


def report_both(total, seen, rank):
    dist.all_reduce(total)
    dist.all_reduce(seen)
    if rank == 0:
        print((total / seen).item())


def count(samples):
    samples = torch.tensor(samples, device="cuda")
    dist.all_reduce(samples)
    return samples


def read_by_all(total, rank):
    dist.all_reduce(total)
    total = total.item()
    if rank == 0:
        print(total)
    return total


def never_read_by_one(total):
    dist.all_reduce(total)
    return total.sqrt()


def reached_by_one(total, rank):
    if rank == 0:
        dist.all_reduce(total)
        print(total)
