import torch
import torch._inductor.config as inductor_config


def bandwidth():
    override = torch._inductor.config.intra_node_bw
    if override is not None:
        return float(override)
    options = inductor_config.aten_distributed_optimizations
    return options.bandwidth
