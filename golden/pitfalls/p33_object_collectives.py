"""Metrics gathered as Python objects."""
import torch
import torch.distributed as dist


def gather_metrics(metrics):
    gathered = [None for _ in range(dist.get_world_size())]
    dist.all_gather_object(gathered, metrics)
    return {key: sum(m[key] for m in gathered) / len(gathered) for key in metrics}


def agree_on_run_name(rank, name):
    names = [name if rank == 0 else None]
    dist.broadcast_object_list(names, src=0)
    return names[0]
