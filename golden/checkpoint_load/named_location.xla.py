import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def restore(net, path, rank):
    model = DDP(net, device_ids=[rank])
    state_dict = torch.load(path, map_location="cpu")
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, "module.")
    model.load_state_dict(state_dict)
    torch.save(model.state_dict(), path)
    return model


def resume(args, model):
    if args.resume:
        checkpoint = torch.load(args.resume, map_location="cpu")
        model.load_state_dict(checkpoint["state_dict"])
    if args.old:
        state = torch.load(args.resume, map_location="cpu")
    else:
        state = torch.load(args.resume, map_location="cpu")["model"]
    return state
