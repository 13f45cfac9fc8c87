import torch.distributed as dist


class Wrapper:
    def __init__(self):
        if not hasattr(dist, "_backend"):
            self.warn = True
        else:
            self.warn = True if dist._backend == dist.dist_backend.GLOO else False
        self.other = dist._backend if hasattr(dist, "_backend") else None
        if hasattr(dist, "group"):
            self.group = None
        else:
            self.group = dist._backend
        self.last = dist._backend
