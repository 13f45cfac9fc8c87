import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def restore(net, path, rank):
    model = DDP(net, device_ids=[rank])
    map_location = {"cuda:%d" % 0: "cuda:%d" % rank}
    model.load_state_dict(
        torch.load(path, map_location=map_location))
    torch.save(model.state_dict(), path)
    return model


def resume(args, model):
    if args.resume:
        if args.gpu is None:
            checkpoint = torch.load(args.resume)
        else:
            # where the model is
            place = "cuda:{}".format(args.gpu)
            checkpoint = torch.load(args.resume, map_location=place)
        model.load_state_dict(checkpoint["state_dict"])
    if args.old:
        state = torch.load(args.resume)
    else:
        state = torch.load(args.resume)["model"]
    return state
