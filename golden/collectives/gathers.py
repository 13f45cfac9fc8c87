import torch
import torch.distributed as dist


def concat_all_gather(tensor):
    tensors_gather = [torch.ones_like(tensor) for _ in range(torch.distributed.get_world_size())]
    torch.distributed.all_gather(tensors_gather, tensor, async_op=False)
    return torch.cat(tensors_gather, dim=0)


def gather_into(out, t):
    dist.all_gather(out, t)
    parts = [torch.zeros_like(t) for _ in range(2)]
    parts[0] = t
    dist.all_gather(tensor_list=parts, tensor=t * 2)
    dist.all_gather_into_tensor(out[0], t)
    dist.reduce_scatter(out[0], parts)
    return parts


def objects(rank, world_size, result):
    outputs = [None for _ in range(world_size)]
    dist.all_gather_object(outputs, {"rank": rank})
    names = [result if rank == 0 else None]
    dist.broadcast_object_list(names, src=0)
    return outputs, names[0]
