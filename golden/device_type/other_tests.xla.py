import torch


def memory(tensors, device, providers):
    local = "xla" if tensors[0].device.type == "xla" else "cpu"
    remote = "cuda" if device == "cuda" else "cpu"
    provider = "cuda" if "CUDAExecutionProvider" in providers else "cpu"
    return local, remote, provider


def train(model, x):
    device_type = "xla" if x.device.type == "xla" else "cpu"
    with torch.autocast(device_type=device_type):
        return model(x)
