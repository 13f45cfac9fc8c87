import torch
import torch.distributed as dist


def gather_features(features, index):
    feats_all = torch.empty(dist.get_world_size(), *features.shape, dtype=features.dtype, device=features.device)
    output_l = list(feats_all.unbind(0))
    # share the features between the processes
    gathering = dist.all_gather(output_l, features, async_op=True)
    gathering.wait()
    return torch.cat(output_l)


def mean_loss(loss, accuracy):
    total = loss.detach().clone()
    handle = dist.all_reduce(total, async_op=True)
    second = dist.all_reduce(accuracy, op=dist.ReduceOp.MAX, async_op=True)
    handle.wait()
    total /= dist.get_world_size()
    second.wait()
    return total, accuracy


def start(tensors):
    return [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
