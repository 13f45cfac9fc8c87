import torch


class autocast:
    """The project's own."""


with torch.cuda.amp.autocast():
    net(x)
