import torch
import torch_xla.core.xla_model as xm


def concat_all_gather(tensor):
    return xm.all_gather(tensor, dim=0)


def gather_into(out, t):
    out[:] = list(xm.all_gather(t.unsqueeze(0), dim=0).unbind(0))
    parts = [torch.zeros_like(t) for _ in range(2)]
    parts[0] = t
    parts[:] = list(xm.all_gather((t * 2).unsqueeze(0), dim=0).unbind(0))
    out[0].copy_(xm.all_gather(t, dim=0))
    out[0].copy_(xm.reduce_scatter(xm.REDUCE_SUM, torch.cat(parts), scale=1.0, scatter_dim=0, shard_count=xm.xrt_world_size()))
    return parts


def objects(rank, world_size, result):
    outputs = [None for _ in range(world_size)]
    outputs[:] = (xm.mesh_reduce("objects_objects", {"rank": rank}, list) if xm.xrt_world_size() > 1 else [{"rank": rank}])
    names = [result if rank == 0 else None]
    names[:] = (xm.mesh_reduce("objects_objects", names, list) if xm.xrt_world_size() > 1 else [names])[0]
    return outputs, names[0]
