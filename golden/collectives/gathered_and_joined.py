import torch
import torch.distributed as dist


@torch.no_grad()
def concat_all_gather(tensor):
    """Gathers and joins: the gradient stops here."""
    tensors_gather = [
        torch.ones_like(tensor) for _ in range(torch.distributed.get_world_size())
    ]
    torch.distributed.all_gather(tensors_gather, tensor, async_op=False)

    output = torch.cat(tensors_gather, dim=0)
    return output


def gather_features(features):
    parts = [torch.zeros_like(features) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, features)
    return torch.cat(parts)


def with_gradient(features, rank):
    parts = [torch.zeros_like(features) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, features)
    parts[rank] = features
    return torch.cat(parts, dim=0)
