import torch
import torch_xla.core.xla_model as xm


def place(model, device):
    xla_device = xm.xla_device()
    return model.to(xla_device if device else "meta")


def pop(args, **defaults):
    return [args.get(name, default) for name, default in defaults.items()]


def main(args, model):
    (device,) = pop(args, device="cuda:0")
    return place(model, device)
