import torch


def check(t, name):
    t = torch.as_tensor(t)
    assert t.device.type.startswith("xla")
    return name.startswith("cuda")
