import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def validate(model, loader, rank):
    total = torch.zeros(2).cuda()
    for x, y in loader:
        total[0] += (model(x.cuda()).argmax(1) == y.cuda()).sum()
        total[1] += len(y)
    xm.all_reduce(xm.REDUCE_SUM, [total])
    accuracy = total[0] / total[1]
    xm.mark_step()
    if rank == 0:
        print(f"accuracy {accuracy:.3f}")


def reduce_mean(tensor, world_size):
    reduced = tensor.clone()
    xm.all_reduce(xm.REDUCE_SUM, [reduced])
    return reduced / world_size


def report(losses, world_size):
    mean = reduce_mean(torch.stack(losses).mean(), world_size)
    best = reduce_mean(torch.stack(losses).min(), world_size)
    xm.mark_step()
    if dist.get_rank() == 0:
        print("mean", mean.item(), "best", best.item())


def report_both(total, seen, rank):
    xm.all_reduce(xm.REDUCE_SUM, [total])
    xm.all_reduce(xm.REDUCE_SUM, [seen])
    xm.mark_step()
    if rank == 0:
        print((total / seen).item())


def count(samples):
    samples = torch.tensor(samples, device="cuda")
    xm.all_reduce(xm.REDUCE_SUM, [samples])
    return samples


def read_by_all(total, rank):
    xm.all_reduce(xm.REDUCE_SUM, [total])
    total = total.item()
    if rank == 0:
        print(total)
    return total


def never_read_by_one(total):
    xm.all_reduce(xm.REDUCE_SUM, [total])
    return total.sqrt()


def reached_by_one(total, rank):
    if rank == 0:
        xm.all_reduce(xm.REDUCE_SUM, [total])
        print(total)
