import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def gather_features(features, index):
    feats_all = torch.empty(dist.get_world_size(), *features.shape, dtype=features.dtype, device=features.device)
    output_l = list(feats_all.unbind(0))
    # share the features between the processes
    output_l[:] = list(xm.all_gather(features.unsqueeze(0), dim=0).unbind(0))
    return torch.cat(output_l)


def mean_loss(loss, accuracy):
    total = loss.detach().clone()
    xm.all_reduce(xm.REDUCE_SUM, [total])
    xm.all_reduce(xm.REDUCE_MAX, [accuracy])
    total /= dist.get_world_size()
    return total, accuracy


def start(tensors):
    return [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
