import torch


def f(x, model, device: torch.device):
    pin = device.type == "xla"
    if x.device.type != 'xla' or model.weight.device.type in ("xla", "mps"):
        x = x.to(device)
    if device.type == "xla":
        print("fast")
    elif device.type == torch.device('cpu').type:
        print("slow")
    return x, pin, device.type == "xla", device.type == "xla", device.type == "xla"


def g(tensor):
    a = tensor.device.type == "xla"
    b = tensor.device.type != "xla" and next(iter([tensor])).device.type == "xla"
    c = (tensor.device.type == "xla") == True
    return a, b, c
