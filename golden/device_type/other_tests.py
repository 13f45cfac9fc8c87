import torch


def memory(tensors, device, providers):
    local = "cuda" if tensors[0].is_cuda else "cpu"
    remote = "cuda" if device == "cuda" else "cpu"
    provider = "cuda" if "CUDAExecutionProvider" in providers else "cpu"
    return local, remote, provider


def train(model, x):
    device_type = "cuda" if x.is_cuda else "cpu"
    with torch.autocast(device_type=device_type):
        return model(x)
