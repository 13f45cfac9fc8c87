import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def restore(net, path, rank):
    model = DDP(net, device_ids=[rank])
    map_location = {"cuda:%d" % 0: "cuda:%d" % rank}
    model.load_state_dict(
        torch.load(path, map_location=map_location))
    torch.save(model.state_dict(), path)
    return model
