import torch


def check(t, name):
    t = torch.as_tensor(t)
    assert t.device.type.startswith("cuda")
    return name.startswith("cuda")
