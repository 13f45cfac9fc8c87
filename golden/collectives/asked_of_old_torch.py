import torch.distributed as dist


class Wrapped:
    def __init__(self, module):
        if not hasattr(dist, "_backend"):
            self.warns = True
        else:
            self.warns = True if dist._backend == dist.dist_backend.GLOO else False
        for tensor in module.state_dict().values():
            dist.all_reduce(tensor)
