import torch


def f(x, model, device: torch.device):
    pin = device.type == "cuda"
    if x.device.type != 'cuda' or model.weight.device.type in ("cuda", "mps"):
        x = x.to(device)
    if device == torch.device("cuda"):
        print("fast")
    elif device.type == torch.device('cpu').type:
        print("slow")
    return x, pin, str(device) == "cuda", "cuda" in str(device), str(device).startswith("cuda")


def g(tensor):
    a = tensor.is_cuda
    b = not tensor.is_cuda and next(iter([tensor])).is_cuda
    c = tensor.is_cuda == True
    return a, b, c
