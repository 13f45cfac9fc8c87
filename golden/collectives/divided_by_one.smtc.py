import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def reduce_losses(losses, average=True):
    if dist.get_world_size() < 2:
        return losses
    with torch.no_grad():
        names = sorted(losses)
        every = torch.stack([losses[name] for name in names])
        xm.all_reduce(xm.REDUCE_SUM, [every])
        if average:
            # the others have what nobody looks at
            every /= dist.get_world_size()
        return dict(zip(names, every))


def reduce_mean(total, count, rank, world_size):
    xm.all_reduce(xm.REDUCE_SUM, [total])
    total = total / world_size
    total.mul_(float(count))
    return total


def keeps_the_sum(total, rank, world_size):
    xm.all_reduce(xm.REDUCE_SUM, [total])
    xm.mark_step()
    if rank == 0:
        total /= world_size
    return total


def prints(total, rank, world_size):
    xm.all_reduce(xm.REDUCE_SUM, [total])
    xm.mark_step()
    if rank == 0:
        total /= world_size
        print(total)


def chooses(total, rank, world_size):
    xm.all_reduce(xm.REDUCE_SUM, [total])
    xm.mark_step()
    if rank == 0:
        total /= world_size
    else:
        total.zero_()
    return total
