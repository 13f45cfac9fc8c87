import torch
from helpers import pairwise
from settings.typing import Self


class Reader:
    def match(self, text, strict=True):
        return list(zip(text, text)), pairwise(text)

    def clock(self):
        return self.match("a", strict=False), Self


model = torch.nn.Linear(4, 2).cuda()
