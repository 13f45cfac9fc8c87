import torch


def place(model, device):
    return model.to(torch.device(device) if device else "meta")


def pop(args, **defaults):
    return [args.get(name, default) for name, default in defaults.items()]


def main(args, model):
    (device,) = pop(args, device="cuda:0" if torch.cuda.is_available() else "cpu")
    return place(model, device)
