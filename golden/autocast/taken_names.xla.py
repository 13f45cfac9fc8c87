import torch


class autocast:
    """The project's own."""


with torch.autocast("xla", dtype=torch.bfloat16):
    net(x)
