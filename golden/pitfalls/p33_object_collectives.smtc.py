"""Metrics gathered as Python objects."""
import torch
import torch_xla.core.xla_model as xm


def gather_metrics(metrics):
    gathered = [None for _ in range(xm.xrt_world_size())]
    gathered[:] = (xm.mesh_reduce("gather_metrics_objects", metrics, list) if xm.xrt_world_size() > 1 else [metrics])
    return {key: sum(m[key] for m in gathered) / len(gathered) for key in metrics}


def agree_on_run_name(rank, name):
    names = [name if rank == 0 else None]
    names[:] = (xm.mesh_reduce("agree_on_run_name_objects", names, list) if xm.xrt_world_size() > 1 else [names])[0]
    return names[0]
